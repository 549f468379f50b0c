#include "compile/finish.hpp"

#include <algorithm>
#include <unordered_map>

#include "compile/common_factors.hpp"

namespace learnac {
namespace {

constexpr std::uint32_t unset = 0xffffffffu;
// Larger circuits stay as they are: pairs of factors would take more memory than the circuit.
constexpr std::size_t most_edges_to_share = 4'000'000;

// Leaves, then sums, then products, which may grow in number while factors are shared.
class Finishing {
 public:
  Finishing(const SharedNodes& nodes, std::uint32_t n_indicators) : nodes_(nodes), n_indicators_(n_indicators) {}

  CompiledArrays finish(std::span<const std::uint32_t> factors) {
    find_reached(factors);
    number();
    const std::uint32_t root = enter_root(factors);
    flatten(root);
    if (n_edges() <= most_edges_to_share) {
      share_common_factors(products_, first_product());
      flatten(root);
    }
    write(root);
    return std::move(arrays_);
  }

 private:
  std::uint32_t first_product() const { return nodes_.n_leaves() + static_cast<std::uint32_t>(sums_.size()); }
  bool is_product(std::uint32_t number) const { return number >= first_product(); }
  std::vector<std::uint32_t>& product(std::uint32_t number) { return products_[number - first_product()]; }
  std::span<const std::uint32_t> children(std::uint32_t number) const {
    if (number < nodes_.n_leaves()) return {};
    return is_product(number) ? products_[number - first_product()] : sums_[number - nodes_.n_leaves()];
  }
  std::size_t n_edges() const {
    std::size_t n = 0;
    for (const auto& all : {&sums_, &products_})
      for (const std::vector<std::uint32_t>& children : *all) n += children.size();
    return n;
  }

  void find_reached(std::span<const std::uint32_t> factors) {
    number_.assign(nodes_.n_nodes(), unset);
    for (const std::uint32_t factor : factors) number_[factor] = 0;
    for (std::uint32_t node = nodes_.n_nodes(); node-- > nodes_.n_leaves();)
      if (number_[node] != unset)
        for (const std::uint32_t child : nodes_.children(node)) number_[child] = 0;
  }

  void number() {
    for (std::uint32_t leaf = 0; leaf < nodes_.n_leaves(); ++leaf) number_[leaf] = leaf;
    for (const NodeKind kind : {NodeKind::sum, NodeKind::product})
      for (std::uint32_t node = nodes_.n_leaves(); node < nodes_.n_nodes(); ++node) {
        if (number_[node] == unset || nodes_.kind(node) != kind) continue;
        std::vector<Children>& all = kind == NodeKind::sum ? sums_ : products_;
        number_[node] = nodes_.n_leaves() + static_cast<std::uint32_t>(sums_.size() + products_.size());
        const std::span<const std::uint32_t> own = nodes_.children(node);
        all.emplace_back(own.begin(), own.end());
        if (kind == NodeKind::sum) decided_.push_back(nodes_.decided(node));
      }
    for (const auto& all : {&sums_, &products_})
      for (std::vector<std::uint32_t>& children : *all) {
        for (std::uint32_t& child : children) child = number_[child];
        std::sort(children.begin(), children.end());
      }
  }

  std::uint32_t enter_root(std::span<const std::uint32_t> factors) {
    if (factors.size() == 1) return number_[factors[0]];
    products_.emplace_back();
    for (const std::uint32_t factor : factors) products_.back().push_back(number_[factor]);
    std::sort(products_.back().begin(), products_.back().end());
    return first_product() + static_cast<std::uint32_t>(products_.size()) - 1;
  }

  // Merges products into the only product that has them.
  void flatten(std::uint32_t root) {
    std::vector<std::uint32_t> n_parents(first_product() + products_.size()), parent(n_parents.size(), unset);
    for (std::uint32_t number = nodes_.n_leaves(); number < n_parents.size(); ++number)
      for (const std::uint32_t child : children(number)) ++n_parents[child], parent[child] = number;
    const auto is_merged = [&](std::uint32_t number) {
      return is_product(number) && number != root && n_parents[number] == 1 && is_product(parent[number]);
    };
    std::vector<std::uint32_t> pending, merged;
    for (std::uint32_t number = first_product(); number < n_parents.size(); ++number) {
      if (is_merged(number)) continue;
      merged.clear();
      pending = product(number);
      while (!pending.empty()) {
        const std::uint32_t factor = pending.back();
        pending.pop_back();
        if (!is_merged(factor)) {
          merged.push_back(factor);
          continue;
        }
        pending.insert(pending.end(), product(factor).begin(), product(factor).end());
        product(factor).clear();
      }
      std::sort(merged.begin(), merged.end());
      product(number) = merged;
    }
  }

  void write(std::uint32_t root) {
    std::vector<std::uint32_t> place(first_product() + products_.size(), unset);
    for (std::uint32_t leaf = 0; leaf < n_indicators_; ++leaf) place[leaf] = add(NodeKind::indicator, leaf);
    std::vector<bool> is_used(nodes_.n_leaves());
    for (std::uint32_t number = nodes_.n_leaves(); number < place.size(); ++number)
      for (const std::uint32_t child : children(number))
        if (child < nodes_.n_leaves()) is_used[child] = true;
    if (root < nodes_.n_leaves()) is_used[root] = true;
    for (std::uint32_t leaf = n_indicators_; leaf < nodes_.n_leaves(); ++leaf) {
      if (!is_used[leaf]) continue;
      place[leaf] = add(NodeKind::parameter, static_cast<std::uint32_t>(arrays_.parameters.size()));
      arrays_.parameters.push_back(leaf - n_indicators_);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
    if (place[root] == unset) stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [number, next] = stack.back();
      const std::span<const std::uint32_t> own = children(number);
      if (next < own.size()) {
        const std::uint32_t child = own[next++];
        if (place[child] == unset) stack.emplace_back(child, 0);
        continue;
      }
      place[number] =
          is_product(number) ? add(NodeKind::product, 0) : add(NodeKind::sum, decided_[number - nodes_.n_leaves()]);
      for (const std::uint32_t child : own) arrays_.children.push_back(place[child]);
      stack.pop_back();
    }
    arrays_.child_offsets.push_back(arrays_.children.size());
  }

  std::uint32_t add(NodeKind kind, std::uint32_t label) {
    arrays_.kinds.push_back(static_cast<std::uint8_t>(kind));
    arrays_.labels.push_back(label);
    arrays_.child_offsets.push_back(arrays_.children.size());
    return static_cast<std::uint32_t>(arrays_.kinds.size() - 1);
  }

  using Children = std::vector<std::uint32_t>;
  const SharedNodes& nodes_;
  std::uint32_t n_indicators_;
  std::vector<std::uint32_t> number_;  // of each node
  std::vector<Children> sums_, products_;
  std::vector<std::uint32_t> decided_;  // by each sum
  CompiledArrays arrays_;
};

}  // namespace

CompiledArrays finish(const SharedNodes& nodes, std::span<const std::uint32_t> factors, std::uint32_t n_indicators) {
  return Finishing(nodes, n_indicators).finish(factors);
}

}  // namespace learnac
