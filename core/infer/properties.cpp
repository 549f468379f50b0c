#include "infer/properties.hpp"

#include <algorithm>
#include <vector>

namespace learnac {
namespace {

using Bits = std::uint64_t;

class Checker {
 public:
  Checker(const CircuitArrays& arrays, std::span<const std::int32_t> variable_of_parameter)
      : arrays_(arrays), variable_of_parameter_(variable_of_parameter), below_(arrays.kinds.size()) {
    for (std::uint32_t v = 0; v < arrays.arities.size(); ++v) {
      first_indicator_.push_back(static_cast<std::uint32_t>(variable_of_.size()));
      variable_of_.insert(variable_of_.end(), arrays.arities[v], v);
    }
    first_indicator_.push_back(static_cast<std::uint32_t>(variable_of_.size()));
  }

  Properties check() {
    // First the variables of indicators, then those of parameters.
    const std::uint64_t n_variables = arrays_.arities.size();
    for (std::uint64_t first = 0; first < 2 * n_variables; first += 64) {
      spread([&](std::uint32_t leaf) { return speaks_of(leaf, first); });
      check_variables();
      for (std::uint64_t v = first; v < std::min(n_variables, first + 64); ++v)
        properties_.has_all_variables &= (below_.back() & bit(v, first)) != 0;
    }
    is_decided_.assign(arrays_.children.size(), false);
    for (std::uint32_t first = 0; first < variable_of_.size(); first += 64) {
      spread([&](std::uint32_t leaf) { return holds(leaf, first); });
      check_values(first);
    }
    bool has_unlabelled = false, has_undecided = false;
    for (std::uint32_t node = 0; node < arrays_.n_nodes(); ++node)
      if (arrays_.kind(node) == NodeKind::sum)
        for (std::uint64_t e = arrays_.child_offsets[node]; e < arrays_.child_offsets[node + 1]; ++e)
          (arrays_.labels[node] == nothing ? has_unlabelled : has_undecided) |= !is_decided_[e];
    properties_.is_labelled_rightly &= !has_undecided;
    properties_.is_deterministic = properties_.is_labelled_rightly && !has_unlabelled;
    return properties_;
  }

 private:
  static Bits bit(std::uint64_t position, std::uint64_t first) {
    return position >= first && position < first + 64 ? Bits{1} << (position - first) : 0;
  }

  Bits speaks_of(std::uint32_t leaf, std::uint64_t first) const {
    const std::uint32_t label = arrays_.labels[leaf];
    if (arrays_.kind(leaf) == NodeKind::indicator) return bit(variable_of_[label], first);
    const std::int32_t variable = variable_of_parameter_[label];
    return variable < 0 ? 0 : bit(arrays_.arities.size() + static_cast<std::uint64_t>(variable), first);
  }

  Bits holds(std::uint32_t leaf, std::uint32_t first) const {
    return arrays_.kind(leaf) == NodeKind::indicator ? bit(arrays_.labels[leaf], first) : 0;
  }

  // Bits of leaves, and of all nodes above them.
  template <class OfLeaf>
  void spread(OfLeaf of_leaf) {
    for (std::uint32_t node = 0; node < arrays_.n_nodes(); ++node) {
      below_[node] = arrays_.is_leaf(node) ? of_leaf(node) : 0;
      for (const std::uint32_t child : arrays_.children_of(node)) below_[node] |= below_[child];
    }
  }

  void check_variables() {
    for (std::uint32_t node = 0; node < arrays_.n_nodes(); ++node) {
      Bits seen = 0;
      for (const std::uint32_t child : arrays_.children_of(node)) {
        if (arrays_.kind(node) == NodeKind::sum) properties_.is_smooth &= below_[child] == below_[node];
        if (arrays_.kind(node) == NodeKind::product) properties_.is_decomposable &= (seen & below_[child]) == 0;
        seen |= below_[child];
      }
    }
  }

  void check_values(std::uint32_t first) {
    for (std::uint32_t node = 0; node < arrays_.n_nodes(); ++node) {
      if (arrays_.kind(node) != NodeKind::sum || arrays_.labels[node] == nothing) continue;
      const std::uint32_t variable = arrays_.labels[node];
      const std::uint32_t from = std::max(first, first_indicator_[variable]);
      const std::uint32_t to = std::min(first + 64, first_indicator_[variable + 1]);
      Bits own = 0;
      for (std::uint32_t i = from; i < to; ++i) own |= bit(i, first);
      if (own == 0) continue;
      Bits seen = 0;
      std::uint64_t edge = arrays_.child_offsets[node];
      for (const std::uint32_t child : arrays_.children_of(node)) {
        const Bits values = below_[child] & own;
        properties_.is_labelled_rightly &= (seen & values) == 0;
        seen |= values;
        if (values != 0) is_decided_[edge] = true;
        ++edge;
      }
    }
  }

  const CircuitArrays& arrays_;
  std::span<const std::int32_t> variable_of_parameter_;
  std::vector<std::uint32_t> variable_of_;  // of each indicator
  std::vector<std::uint32_t> first_indicator_;
  std::vector<Bits> below_;
  std::vector<bool> is_decided_;  // for each edge: whether the child has a value of the variable that the sum decides
  Properties properties_;
};

}  // namespace

Properties properties_of(const CircuitArrays& arrays, std::span<const std::int32_t> variable_of_parameter) {
  return Checker(arrays, variable_of_parameter).check();
}

}  // namespace learnac
