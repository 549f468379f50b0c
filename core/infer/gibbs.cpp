#include "infer/gibbs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "clones.hpp"
#include "random.hpp"

namespace learnac {
namespace {

// A set of chains, of those that run side by side.
struct Chains {
  static constexpr std::size_t n_words = 4;
  static constexpr std::size_t most = n_words * 64;

  std::array<std::uint64_t, n_words> words{};

  static Chains one(std::size_t chain) {
    Chains result;
    result.words[chain / 64] = std::uint64_t{1} << chain % 64;
    return result;
  }

  LEARNAC_INLINE bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words) all |= word;
    return all != 0;
  }
  LEARNAC_INLINE int count() const {
    int n = 0;
    for (const std::uint64_t word : words) n += std::popcount(word);
    return n;
  }
  template <class Call>
  LEARNAC_INLINE void for_each(Call call) const {
    for (std::size_t i = 0; i < n_words; ++i)
      for (std::uint64_t word = words[i]; word != 0; word &= word - 1)
        call(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }
  LEARNAC_INLINE friend Chains operator&(Chains a, const Chains& b) {
    for (std::size_t i = 0; i < n_words; ++i) a.words[i] &= b.words[i];
    return a;
  }
  LEARNAC_INLINE friend Chains operator|(Chains a, const Chains& b) {
    for (std::size_t i = 0; i < n_words; ++i) a.words[i] |= b.words[i];
    return a;
  }
  // Those of `a` that are not in `b`.
  LEARNAC_INLINE friend Chains operator-(Chains a, const Chains& b) {
    for (std::size_t i = 0; i < n_words; ++i) a.words[i] &= ~b.words[i];
    return a;
  }
};

}  // namespace

GibbsSampler::GibbsSampler(const TreeScores::Arrays& arrays)
    : log_parameters_(arrays.log_parameters.begin(), arrays.log_parameters.end()) {
  const TreeScores checked(arrays);  // Refuses what is no tree.
  std::uint32_t first_indicator = 0;
  for (const std::uint32_t arity : arrays.arities) {
    trees_.push_back({arity, first_indicator, 0});
    first_indicator += arity;
  }
  std::vector<std::vector<Slot>> slots_of(n_variables());
  std::size_t first_parameter = 0;
  for (std::uint32_t tree = 0; tree < n_variables(); ++tree) {
    add_tree(arrays, tree, first_parameter);
    add_slots(tree, slots_of);
    first_parameter += std::size_t{arrays.first_nodes[tree + 1] - arrays.first_nodes[tree]} * arity(tree);
  }
  for (const std::vector<Slot>& slots : slots_of) {
    first_slot_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.insert(slots_.end(), slots.begin(), slots.end());
  }
  first_slot_.push_back(static_cast<std::uint32_t>(slots_.size()));
}

void GibbsSampler::add_tree(const TreeScores::Arrays& arrays, std::uint32_t tree, std::size_t first_parameter) {
  struct Below {
    std::uint32_t node;  // of the arrays
    std::uint32_t parent;
    bool is_yes;
  };
  const std::uint32_t first = arrays.first_nodes[tree];
  const std::uint32_t root = trees_[tree].root = static_cast<std::uint32_t>(nodes_.size());
  std::vector<Below> pending{{0, 0, false}};
  while (!pending.empty()) {
    const Below below = pending.back();
    pending.pop_back();
    std::map<std::uint32_t, std::vector<std::uint32_t>> values_to;
    const std::int32_t asked = arrays.variables[first + below.node];
    for (std::uint32_t value = 0; asked >= 0 && value < arity(static_cast<std::size_t>(asked)); ++value)
      values_to[arrays.routes[arrays.first_route[first + below.node] + value]].push_back(value);
    if (values_to.size() == 1) {  // Nothing is asked.
      pending.push_back({values_to.begin()->first, below.parent, below.is_yes});
      continue;
    }
    std::uint32_t at = static_cast<std::uint32_t>(nodes_.size());
    if (at != root) (below.is_yes ? nodes_[below.parent].yes : nodes_[below.parent].no) = at;
    if (asked < 0) {
      nodes_.push_back({leaf, 0, 0, 0, 0, first_parameter + std::size_t{below.node} * arity(tree)});
      continue;
    }
    const std::uint32_t variable = static_cast<std::uint32_t>(asked);
    // The last branch takes what is left.
    while (values_to.size() > 1) {
      const auto [to, values] = *values_to.begin();
      values_to.erase(values_to.begin());
      nodes_.push_back({variable, static_cast<std::uint32_t>(values_.size()), static_cast<std::uint32_t>(values.size()),
                        0, at + 1, 0});
      for (const std::uint32_t value : values) values_.push_back(trees_[variable].first_indicator + value);
      pending.push_back({to, at++, true});
    }
    pending.push_back({values_to.begin()->first, at - 1, false});
  }
}

void GibbsSampler::add_slots(std::uint32_t tree, std::vector<std::vector<Slot>>& slots_of) {
  const std::uint32_t root = trees_[tree].root, n_nodes = static_cast<std::uint32_t>(nodes_.size()) - root;
  const std::span<const Node> nodes(nodes_.data() + root, n_nodes);
  std::vector<std::uint32_t> parent(n_nodes, 0);
  for (std::uint32_t i = 0; i < n_nodes; ++i) {
    if (nodes[i].variable == leaf) continue;
    parent[nodes[i].yes - root] = parent[nodes[i].no - root] = i;
    std::vector<Slot>& slots = slots_of[nodes[i].variable];
    if (slots.empty() || slots.back().tree != tree) {
      slots.push_back({tree, is_above_.size()});
      is_above_.resize(is_above_.size() + n_nodes, 0);
    }
    std::uint8_t* const is_above = is_above_.data() + slots.back().first_above;
    for (std::uint32_t node = i; !is_above[node]; node = parent[node]) is_above[node] = 1;
  }
}

// The states of chains that run side by side. A variable is drawn for all of them at once: each part of a tree is
// visited once for all chains that are there. Most chains are alike, above all in sparse data: where more than half get
// the same factor, it is noted once, and the others are put right.
class GibbsChains {
 public:
  explicit GibbsChains(const GibbsSampler& sampler)
      : sampler_(sampler), unknown_(sampler.n_variables()), random_(Chains::most, Random(0, 0)) {
    with_.resize(sampler.n_indicators());
    std::uint32_t largest = 0;
    for (const GibbsSampler::Tree& tree : sampler.trees_) largest = std::max(largest, tree.arity);
    common_.resize(largest);
    shares_.resize(largest);
    chosen_.resize(largest);
    own_.resize(std::size_t{largest} * Chains::most);
    above_.resize(sampler.nodes_.size());
    below_.resize(sampler.nodes_.size());
  }

  void clear() {
    std::fill(with_.begin(), with_.end(), Chains{});
    std::fill(unknown_.begin(), unknown_.end(), Chains{});
  }

  // A chain with this evidence, from a random state. `evidence` has a code for each variable, `stride` apart.
  void start(std::size_t chain, const std::int32_t* evidence, std::size_t stride, Random random) {
    for (std::size_t v = 0; v < unknown_.size(); ++v) {
      const std::int32_t known = evidence[v * stride];
      if (known < 0) unknown_[v] = unknown_[v] | Chains::one(chain);
      const std::uint32_t value = known >= 0 ? static_cast<std::uint32_t>(known)
                                             : static_cast<std::uint32_t>(random.uniform() * sampler_.arity(v));
      Chains& with = with_[sampler_.trees_[v].first_indicator + value];
      with = with | Chains::one(chain);
    }
    random_[chain] = random;
  }

  // The chains in which the variable has the value.
  const Chains& with(std::uint32_t variable, std::uint32_t value) const {
    return with_[sampler_.trees_[variable].first_indicator + value];
  }

  // Draws every variable, given all others, in every chain where it has no evidence.
  LEARNAC_VECTOR_CLONES void draw_all() {
    for (std::uint32_t variable = 0; variable < unknown_.size(); ++variable) draw(variable);
  }

 private:
  using Node = GibbsSampler::Node;
  struct At {
    std::uint32_t node;
    Chains which;
  };

  LEARNAC_INLINE void draw(std::uint32_t variable) {
    drawn_ = unknown_[variable];
    n_drawn_ = drawn_.count();
    if (n_drawn_ == 0) return;
    variable_ = variable;
    arity_ = sampler_.arity(variable);
    differs_ = Chains{};
    std::fill_n(common_.begin(), arity_, 0.0);
    weigh_own_tree();
    for (std::uint32_t slot = sampler_.first_slot_[variable]; slot < sampler_.first_slot_[variable + 1]; ++slot)
      weigh_tree(sampler_.slots_[slot]);
    choose();
  }

  LEARNAC_INLINE Chains with_values_of(const Node& node) const {
    const std::uint32_t* const values = sampler_.values_.data() + node.first_value;
    Chains result = with_[values[0]];
    for (std::uint32_t k = 1; k < node.n_values; ++k) result = result | with_[values[k]];
    return result;
  }

  // Goes down from a node with the chains that are there, and calls `at_leaf(leaf, chains)`. A node that asks the drawn
  // variable, as it may below one that did, answers as if that had the value.
  template <class AtLeaf>
  LEARNAC_INLINE void go_down(std::uint32_t node, Chains which, std::uint32_t indicator, AtLeaf at_leaf) {
    for (std::size_t n_pending = 0;;) {
      const Node& at = sampler_.nodes_[node];
      if (at.variable == variable_) {
        node = has_value(at, indicator) ? at.yes : at.no;
        continue;
      }
      if (at.variable != GibbsSampler::leaf) {
        const Chains yes = which & with_values_of(at), no = which - yes;
        const bool some_yes = yes.any(), some_no = no.any();
        if (some_yes && some_no) below_[n_pending++] = {at.yes, yes};
        node = some_no ? at.no : at.yes;
        which = some_no ? no : yes;
        continue;
      }
      at_leaf(at, which);
      if (n_pending == 0) return;
      node = below_[--n_pending].node;
      which = below_[n_pending].which;
    }
  }

  LEARNAC_INLINE bool has_value(const Node& node, std::uint32_t indicator) const {
    for (std::uint32_t k = 0; k < node.n_values; ++k)
      if (sampler_.values_[node.first_value + k] == indicator) return true;
    return false;
  }

  LEARNAC_INLINE void weigh_own_tree() {
    go_down(sampler_.trees_[variable_].root, drawn_, 0,
            [&](const Node& leaf, const Chains& which) LEARNAC_INLINE_LAMBDA {
              const double* const parameters = sampler_.log_parameters_.data() + leaf.first_parameter;
              for (std::uint32_t value = 0; value < arity_; ++value) add(value, which, parameters[value]);
            });
  }

  // A tree weighs in where it asks the variable on the way to its leaf: each value leads to a leaf, whose parameter
  // for the tree's own value is a factor.
  LEARNAC_INLINE void weigh_tree(const GibbsSampler::Slot& slot) {
    const GibbsSampler::Tree& tree = sampler_.trees_[slot.tree];
    const std::uint8_t* const is_above = sampler_.is_above_.data() + slot.first_above;
    std::uint32_t node = tree.root;
    Chains which = drawn_;
    for (std::size_t n_pending = 0;;) {
      const Node& at = sampler_.nodes_[node];
      if (at.variable != variable_) {
        const Chains yes = which & with_values_of(at), no = which - yes;
        const bool go_yes = is_above[at.yes - tree.root] && yes.any(), go_no = is_above[at.no - tree.root] && no.any();
        if (go_yes && go_no) above_[n_pending++] = {at.yes, yes};
        node = go_no ? at.no : at.yes;
        which = go_no ? no : yes;
        if (go_yes || go_no) continue;
      } else {
        weigh_below(node, which, slot.tree);
      }
      if (n_pending == 0) return;
      node = above_[--n_pending].node;
      which = above_[n_pending].which;
    }
  }

  LEARNAC_INLINE void weigh_below(std::uint32_t node, const Chains& which, std::uint32_t child) {
    for (std::uint32_t value = 0; value < arity_; ++value)
      go_down(node, which, sampler_.trees_[variable_].first_indicator + value,
              [&](const Node& leaf, const Chains& there) LEARNAC_INLINE_LAMBDA {
                const double* const parameters = sampler_.log_parameters_.data() + leaf.first_parameter;
                for (std::uint32_t k = 0; k < sampler_.trees_[child].arity; ++k)
                  add(value, there & with(child, k), parameters[k]);
              });
  }

  LEARNAC_INLINE void add(std::uint32_t value, Chains which, double log_factor) {
    if (2 * which.count() > n_drawn_ && std::isfinite(log_factor)) {
      common_[value] += log_factor;
      which = drawn_ - which;
      log_factor = -log_factor;
    }
    differs_ = differs_ | which;
    double* const own = own_.data() + std::size_t{value} * Chains::most;
    which.for_each([&](std::size_t chain) LEARNAC_INLINE_LAMBDA { own[chain] += log_factor; });
  }

  LEARNAC_INLINE void choose() {
    Chains* const with = with_.data() + sampler_.trees_[variable_].first_indicator;
    std::fill_n(chosen_.begin(), arity_, Chains{});
    const Chains alike = drawn_ - differs_;
    if (share([&](std::uint32_t value) LEARNAC_INLINE_LAMBDA { return common_[value]; }))
      alike.for_each([&](std::size_t chain) LEARNAC_INLINE_LAMBDA { choose_in(chain); });
    else
      alike.for_each([&](std::size_t chain) LEARNAC_INLINE_LAMBDA { keep_in(chain, with); });
    differs_.for_each([&](std::size_t chain) LEARNAC_INLINE_LAMBDA {
      double* const own = own_.data() + chain;
      if (share([&](std::uint32_t value) LEARNAC_INLINE_LAMBDA { return common_[value] + own[value * Chains::most]; }))
        choose_in(chain);
      else
        keep_in(chain, with);
      for (std::uint32_t value = 0; value < arity_; ++value) own[value * Chains::most] = 0;
    });
    for (std::uint32_t value = 0; value < arity_; ++value) with[value] = (with[value] - drawn_) | chosen_[value];
  }

  LEARNAC_INLINE void choose_in(std::size_t chain) {
    const double left = random_[chain].uniform() * shares_[arity_ - 1];
    std::uint32_t value = 0;
    while (value < last_possible_ && left >= shares_[value]) ++value;
    chosen_[value].words[chain / 64] |= std::uint64_t{1} << chain % 64;
  }

  // Where no value is possible.
  void keep_in(std::size_t chain, const Chains* with) {
    random_[chain].uniform();
    for (std::uint32_t value = 0; value < arity_; ++value)
      chosen_[value] = chosen_[value] | (with[value] & Chains::one(chain));
  }

  // Shares of the values, each with those before it; whether any is possible.
  template <class LogWeight>
  LEARNAC_INLINE bool share(LogWeight log_weight) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t value = 0; value < arity_; ++value) largest = std::max(largest, log_weight(value));
    if (largest == -std::numeric_limits<double>::infinity()) return false;
    double sum = 0;
    for (std::uint32_t value = 0; value < arity_; ++value) {
      const double log_share = log_weight(value) - largest;
      const double weight = log_share == 0 ? 1 : std::exp(log_share);
      if (weight > 0) last_possible_ = value;
      shares_[value] = sum += weight;
    }
    return true;
  }

  const GibbsSampler& sampler_;
  std::vector<Chains> with_;     // of each value of each variable
  std::vector<Chains> unknown_;  // of each variable: the chains without evidence of it
  std::vector<Random> random_;

  // Of the variable that is being drawn. The logarithm of a value's weight in a chain is the sum of both.
  std::uint32_t variable_ = 0, arity_ = 0;
  Chains drawn_;
  int n_drawn_ = 0;
  std::vector<double> common_;  // of each value
  std::vector<double> own_;     // (values x chains), 0 but in those that differ
  Chains differs_;
  std::vector<double> shares_;
  std::uint32_t last_possible_ = 0;
  std::vector<Chains> chosen_;
  std::vector<At> above_, below_;
};

GibbsCounts GibbsSampler::run(const GibbsRows& rows, const GibbsSettings& settings,
                              const std::function<bool()>& should_stop) const {
  struct Asked {
    std::uint32_t variable, value;
    Chains by;
  };
  const std::size_t n_rows = rows.seeds.size(), n_chains = settings.n_chains;
  GibbsCounts counts{std::vector<std::uint64_t>(n_rows), std::vector<std::uint64_t>(n_indicators())};
  GibbsChains chains(*this);
  for (std::size_t first = 0; first < n_rows * n_chains; first += Chains::most) {
    const std::size_t n = std::min(Chains::most, n_rows * n_chains - first);
    const auto row_of = [&](std::size_t chain) { return (first + chain) / n_chains; };
    chains.clear();
    Chains used;
    for (std::size_t chain = 0; chain < n; ++chain) {
      used = used | Chains::one(chain);
      chains.start(chain, rows.evidence.data() + row_of(chain), n_rows,
                   Random(rows.seeds[row_of(chain)], (first + chain) % n_chains));
    }
    std::vector<Asked> asked;
    for (std::uint32_t v = 0; v < n_variables(); ++v)
      for (std::uint32_t value = 0; value < arity(v); ++value) {
        Chains by;
        for (std::size_t chain = 0; chain < n; ++chain)
          if (rows.query[v * n_rows + row_of(chain)] == static_cast<std::int32_t>(value)) by = by | Chains::one(chain);
        if (by.any()) asked.push_back({v, value, by});
      }
    for (std::uint32_t i = 0; i < settings.n_burn_in + settings.n_samples; ++i) {
      chains.draw_all();
      if (i % 16 == 0 && should_stop()) return counts;
      if (i < settings.n_burn_in) continue;
      Chains agree = used;
      for (const Asked& one : asked) agree = agree - (one.by - chains.with(one.variable, one.value));
      agree.for_each([&](std::size_t chain) { ++counts.matches[row_of(chain)]; });
      for (std::uint32_t v = 0, indicator = 0; v < n_variables(); ++v)
        for (std::uint32_t value = 0; value < arity(v); ++value, ++indicator)
          counts.of_values[indicator] += static_cast<std::uint64_t>(chains.with(v, value).count());
    }
  }
  return counts;
}

}  // namespace learnac
