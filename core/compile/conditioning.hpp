// From a network to a circuit: one variable after the other is decided, and what falls apart is compiled apart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compile/diagrams.hpp"
#include "compile/shared_nodes.hpp"

namespace learnac {

// What a compilation may cost. `should_stop` is asked from time to time.
struct CompileBudget {
  std::size_t most_edges;
  std::size_t most_bytes;
  std::function<bool()> should_stop;
};

enum class CompileEnd : std::uint8_t { done = 0, edges = 1, bytes = 2, stopped = 3 };

// A part of the network whose CPDs share undecided variables, as they are with what has been decided. The variable of
// lowest rank is decided next: for each of its values, CPDs shrink, and those that still share variables are the parts
// below. A part is known by its CPDs alone, so what led to it makes no difference, and equal parts are compiled once.
//
// A part gives factors, whose product it is worth: what all values of the decided variable have in common is taken out
// of their sum, and values that have the same parts below them are summed up before they are multiplied with these.
class Conditioning {
 public:
  Conditioning(Diagrams& diagrams, SharedNodes& nodes, std::span<const std::uint32_t> arities,
               std::uint32_t n_indicators);

  // The factors of the product of these diagrams, none of them an end; nothing if it is always zero. Unless the budget
  // ends it: see `end`.
  std::optional<std::vector<std::uint32_t>> compile(std::span<const DiagramId> diagrams, const CompileBudget& budget);

  CompileEnd end() const { return end_; }
  std::size_t n_parts() const { return known_.size(); }

 private:
  struct Key {
    std::uint64_t first, second;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const { return key.first; }
  };
  struct Factors {
    std::uint64_t first;
    std::uint32_t size;
    bool is_zero;
  };
  // A part under way, with the values that have been dealt with.
  struct Frame {
    Key key;
    std::vector<DiagramId> diagrams;
    std::uint32_t variable;
    std::uint32_t value;
    std::vector<DiagramId> below;           // the parts below the value, one after the other
    std::vector<std::uint32_t> ends;        // of each of them
    std::vector<Key> keys;                  // of each of them
    std::uint32_t next;                     // the part that is to be compiled next
    std::vector<std::uint32_t> parameters;  // CPDs that the value has settled
    std::vector<std::uint32_t> factors;     // of all values so far, sorted for each, without indicators
    std::vector<std::uint32_t> values;      // those that are not zero
    std::vector<std::uint32_t> factor_ends;
  };

  Key key_of(std::span<const DiagramId> diagrams) const;
  void open(const Key& key, std::span<const DiagramId> diagrams);
  bool begin_value(Frame& frame);
  void end_value(Frame& frame);
  void split(std::span<const DiagramId> diagrams, Frame& frame);
  bool step(Frame& frame);
  void close(Frame& frame);
  Factors sum_up(Frame& frame);
  std::uint32_t sum_of_rest(const Frame& frame, std::span<const std::uint32_t> common);
  Factors kept(std::span<const std::uint32_t> factors);
  bool is_over(const CompileBudget& budget);
  std::size_t n_bytes() const;

  Diagrams& diagrams_;
  SharedNodes& nodes_;
  std::uint32_t n_indicators_;
  std::vector<std::uint32_t> first_indicator_;
  std::vector<std::uint32_t> arities_;
  std::unordered_map<Key, Factors, HashOfKey> known_;
  std::vector<std::uint32_t> factors_;
  std::vector<Frame> frames_;  // the first `depth_` are in use
  std::size_t depth_ = 0;
  CompileEnd end_ = CompileEnd::done;

  std::vector<DiagramId> open_;  // for `begin_value`
  // For `split`: the group of each diagram, and the first diagram that asks a variable.
  std::vector<std::uint32_t> group_;
  std::vector<std::uint32_t> asker_;
  std::vector<std::uint64_t> asked_in_;
  std::vector<std::uint32_t> sizes_, starts_;
  std::uint64_t round_ = 0;
};

}  // namespace learnac
