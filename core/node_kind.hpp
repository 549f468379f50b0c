// What a circuit node is. The numbers are those of frozen arrays and of model files.
#pragma once

#include <cstdint>

namespace learnac {

enum class NodeKind : std::uint8_t {
  indicator = 0,
  parameter = 1,
  sum = 2,
  product = 3,
  free = 4,  // a place in a growing circuit that no node has; never in a frozen one
};

}  // namespace learnac
