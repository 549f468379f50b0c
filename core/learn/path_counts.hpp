// Counting for leaves that are given by their paths, block of rows after block of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/row_counter.hpp"

namespace learnac {

// Sets of rows, each a part of an earlier one: the first has all rows, and every other those of its parent that have
// one of some values of a variable.
struct RowTree {
  struct Node {
    std::uint32_t parent;
    VariableId variable;
    std::vector<std::uint8_t> holds;  // by value of the variable
  };
  std::vector<Node> nodes;  // parents before children; what the first one says does not matter
};

// What is asked: the counts of a child variable over the rows of a node.
struct CountRequest {
  std::uint32_t node;
  VariableId child;
};

// The counts of all requests, summed up over blocks of rows, wherever they were counted.
class PathCounts {
 public:
  // Requests come in the order of their nodes.
  PathCounts(std::span<const std::uint32_t> arities, RowTree tree, std::vector<CountRequest> requests);

  const Domain& domain() const { return domain_; }
  std::span<const CountRequest> requests() const { return requests_; }
  std::span<const LeafCounts> counts() const { return counts_; }
  std::vector<LeafCounts> take() { return std::move(counts_); }

  // The rows of a table, or only those of a mask, if that is not empty.
  void add(const PackedTable& table, std::span<const Word> mask);
  // What somebody else counted, in the same order.
  void add(std::size_t request, const LeafCounts& counts);

 private:
  Domain domain_;
  RowTree tree_;
  std::vector<std::uint32_t> last_child_;  // by node: after which node its rows are not needed any more
  std::vector<CountRequest> requests_;
  std::vector<LeafCounts> counts_;
};

}  // namespace learnac
