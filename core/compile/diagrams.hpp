// Conditional distributions as decision diagrams whose equal parts are shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace learnac {

enum class DiagramId : std::uint32_t {};

// A diagram says what a conditional distribution (CPD) is worth, given the variables below it: it asks a variable, or
// it is an end, which is a parameter or zero. A question whose answers make no difference is left out, but for the one
// about the child, without which nothing would speak of that variable. Diagrams that are equal have the same id.
//
// An ordered diagram asks variables by their ranks, so that equal functions are equal diagrams. One that would be too
// large in that order stays as it is: then some equal functions go unnoticed, and nothing is wrong.
class Diagrams {
 public:
  // `ranks` are the places of the variables in the order in which they are decided.
  Diagrams(std::span<const std::uint32_t> arities, std::span<const std::uint32_t> ranks);

  static constexpr DiagramId zero{0};
  DiagramId parameter(std::uint32_t number);
  // A question about a variable in the CPD of `child`; `branches` are the diagrams for its values.
  DiagramId question(std::uint32_t child, std::uint32_t variable, std::span<const DiagramId> branches);

  bool is_end(DiagramId id) const { return nodes_[index(id)].variable == no_variable; }
  std::uint32_t parameter_of(DiagramId id) const { return nodes_[index(id)].child; }
  // The variables that a diagram asks, by their ranks.
  std::span<const std::uint32_t> asked(DiagramId id) const;
  std::uint32_t rank(std::uint32_t variable) const { return ranks_[variable]; }
  // The diagram once a value is known. A diagram that does not ask the variable stays as it is.
  DiagramId given(DiagramId id, std::uint32_t variable, std::uint32_t value);
  // The same function with questions by their ranks, unless it takes more than `most` new nodes.
  DiagramId ordered(DiagramId id, std::size_t most);

  // The same diagram as one of these; `known` has what was copied before.
  DiagramId copied(const Diagrams& from, DiagramId id, std::unordered_map<std::uint32_t, DiagramId>& known);

  std::size_t n_bytes() const;

 private:
  static constexpr std::uint32_t no_variable = 0xffffffffu;

  struct Node {
    std::uint32_t variable;
    std::uint32_t child;  // whose CPD it is of; the number of a parameter
    std::uint32_t first_branch;
    std::uint32_t asked;  // a set of variables
    std::uint32_t hash;
  };
  struct Set {
    std::uint32_t first;
    std::uint32_t size;
  };
  // What is being put in order: new nodes are allowed up to a number.
  struct Ordering {
    std::unordered_map<std::uint32_t, DiagramId> known;
    std::size_t most_nodes;
    bool is_too_large = false;
  };

  static std::uint32_t index(DiagramId id) { return static_cast<std::uint32_t>(id); }
  std::span<const DiagramId> branches(const Node& node) const {
    return {branches_.data() + node.first_branch, arities_[node.variable]};
  }
  bool asks(DiagramId id, std::uint32_t variable) const;
  std::uint32_t asked_by(std::uint32_t variable, std::span<const DiagramId> branches);
  std::uint32_t set_of(std::span<const std::uint32_t> variables);
  DiagramId put_in_order(DiagramId id, Ordering& ordering);
  void grow_table();

  std::vector<std::uint32_t> arities_;
  std::vector<std::uint32_t> ranks_;
  std::vector<Node> nodes_;
  std::vector<DiagramId> branches_;
  std::vector<std::uint32_t> table_;  // of ids by hash; 0, which is never looked up, where there is none
  std::unordered_map<std::uint32_t, DiagramId> parameters_;
  std::unordered_map<std::uint64_t, DiagramId> given_;  // by diagram and indicator, where it does not ask that first
  std::vector<std::uint32_t> first_indicator_;
  std::vector<Set> sets_;
  std::vector<std::uint32_t> members_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> set_by_hash_;
  std::vector<std::uint32_t> union_;
};

}  // namespace learnac
