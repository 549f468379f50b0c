#include "compile/conditioning.hpp"

#include <algorithm>
#include <map>

#include "compile/hash.hpp"

namespace learnac {
namespace {

// More factors than these become a product, so that they need not be listed wherever they are used.
constexpr std::size_t most_factors = 8;
constexpr std::uint32_t steps_between_checks = 1024;

}  // namespace

Conditioning::Conditioning(Diagrams& diagrams, SharedNodes& nodes, std::span<const std::uint32_t> arities,
                           std::uint32_t n_indicators)
    : diagrams_(diagrams),
      nodes_(nodes),
      n_indicators_(n_indicators),
      arities_(arities.begin(), arities.end()),
      asker_(arities.size()),
      asked_in_(arities.size()) {
  std::uint32_t first = 0;
  for (const std::uint32_t arity : arities) {
    first_indicator_.push_back(first);
    first += arity;
  }
}

std::optional<std::vector<std::uint32_t>> Conditioning::compile(std::span<const DiagramId> diagrams,
                                                                const CompileBudget& budget) {
  Frame top{};
  split(diagrams, top);
  std::vector<std::uint32_t> all;
  std::uint32_t from = 0;
  for (std::size_t part = 0; part < top.ends.size(); from = top.ends[part++]) {
    if (!known_.contains(top.keys[part])) {
      open(top.keys[part], std::span(top.below).subspan(from, top.ends[part] - from));
      for (std::uint32_t n_steps = 0; depth_ > 0; ++n_steps) {
        if (n_steps % steps_between_checks == 0 && is_over(budget)) return std::nullopt;
        if (!step(frames_[depth_ - 1])) close(frames_[depth_ - 1]);
      }
    }
    const Factors& found = known_.at(top.keys[part]);
    if (found.is_zero) return std::nullopt;
    all.insert(all.end(), factors_.begin() + static_cast<std::ptrdiff_t>(found.first),
               factors_.begin() + static_cast<std::ptrdiff_t>(found.first + found.size));
  }
  return all;
}

// The sum of hashes of 128 bits, one for each diagram: no two of the parts that a machine could ever visit are taken
// for one another.
Conditioning::Key Conditioning::key_of(std::span<const DiagramId> diagrams) const {
  Key key{0, 0};
  for (const DiagramId diagram : diagrams) {
    const auto id = static_cast<std::uint64_t>(diagram);
    key.first += mixed(id);
    key.second += mixed(id ^ 0x5851f42d4c957f2du);
  }
  return key;
}

void Conditioning::open(const Key& key, std::span<const DiagramId> diagrams) {
  // A copy, for the diagrams may stand in a frame that moves.
  std::vector<DiagramId> own(diagrams.begin(), diagrams.end());
  if (depth_ == frames_.size()) frames_.emplace_back();
  Frame& frame = frames_[depth_++];
  frame.key = key;
  frame.diagrams = std::move(own);
  frame.value = 0;
  frame.next = 0;
  frame.below.clear();
  frame.ends.clear();
  frame.keys.clear();
  frame.factors.clear();
  frame.values.clear();
  frame.factor_ends.clear();
  // Of the questions that come first in the diagrams, that of the lowest rank.
  const auto lowest = *std::min_element(frame.diagrams.begin(), frame.diagrams.end(), [&](DiagramId a, DiagramId b) {
    return diagrams_.rank(diagrams_.asked(a)[0]) < diagrams_.rank(diagrams_.asked(b)[0]);
  });
  frame.variable = diagrams_.asked(lowest)[0];
  while (frame.value < arities_[frame.variable] && !begin_value(frame)) ++frame.value;
}

// Goes on with a part until one below it has to be compiled first; false when all values are done.
bool Conditioning::step(Frame& frame) {
  while (frame.value < arities_[frame.variable]) {
    bool is_zero = false;
    while (frame.next < frame.ends.size()) {
      const auto found = known_.find(frame.keys[frame.next]);
      if (found == known_.end()) {
        const std::uint32_t from = frame.next == 0 ? 0 : frame.ends[frame.next - 1];
        open(frame.keys[frame.next], std::span(frame.below).subspan(from, frame.ends[frame.next] - from));
        return true;
      }
      is_zero = found->second.is_zero;
      if (is_zero) break;
      ++frame.next;
    }
    if (!is_zero) end_value(frame);
    ++frame.value;
    while (frame.value < arities_[frame.variable] && !begin_value(frame)) ++frame.value;
  }
  return false;
}

// Sets the variable to the value; false if that makes a CPD zero.
bool Conditioning::begin_value(Frame& frame) {
  frame.parameters.clear();
  frame.next = 0;
  open_.clear();
  for (const DiagramId diagram : frame.diagrams) {
    const bool asks = diagrams_.asked(diagram)[0] == frame.variable;
    const DiagramId left = asks ? diagrams_.given(diagram, frame.variable, frame.value) : diagram;
    if (left == Diagrams::zero) return false;
    if (diagrams_.is_end(left))
      frame.parameters.push_back(n_indicators_ + diagrams_.parameter_of(left));
    else
      open_.push_back(left);
  }
  split(open_, frame);
  return true;
}

// Diagrams that share a variable belong together.
void Conditioning::split(std::span<const DiagramId> diagrams, Frame& frame) {
  frame.below.clear();
  frame.ends.clear();
  frame.keys.clear();
  ++round_;
  group_.resize(diagrams.size());
  const auto first_of = [&](std::uint32_t place) {
    while (group_[place] != place) place = group_[place] = group_[group_[place]];
    return place;
  };
  for (std::uint32_t place = 0; place < diagrams.size(); ++place) {
    group_[place] = place;
    for (const std::uint32_t variable : diagrams_.asked(diagrams[place])) {
      if (asked_in_[variable] != round_) {
        asked_in_[variable] = round_;
        asker_[variable] = place;
        continue;
      }
      const std::uint32_t a = first_of(asker_[variable]), b = first_of(place);
      group_[std::max(a, b)] = std::min(a, b);
    }
  }
  sizes_.assign(diagrams.size(), 0);
  starts_.assign(diagrams.size(), 0);
  for (std::uint32_t place = 0; place < diagrams.size(); ++place) ++sizes_[group_[place] = first_of(place)];
  std::uint32_t end = 0;
  for (std::uint32_t place = 0; place < diagrams.size(); ++place) {
    if (group_[place] != place) continue;
    starts_[place] = end;
    end += sizes_[place];
    frame.ends.push_back(end);
  }
  frame.below.resize(diagrams.size());
  for (std::uint32_t place = 0; place < diagrams.size(); ++place)
    frame.below[starts_[group_[place]]++] = diagrams[place];
  std::uint32_t from = 0;
  for (const std::uint32_t to : frame.ends) {
    frame.keys.push_back(key_of(std::span(frame.below).subspan(from, to - from)));
    from = to;
  }
}

// Notes the factors of a value that is not zero.
void Conditioning::end_value(Frame& frame) {
  const auto start = static_cast<std::ptrdiff_t>(frame.factors.size());
  frame.factors.insert(frame.factors.end(), frame.parameters.begin(), frame.parameters.end());
  for (const Key& key : frame.keys) {
    const Factors& found = known_.at(key);
    frame.factors.insert(frame.factors.end(), factors_.begin() + static_cast<std::ptrdiff_t>(found.first),
                         factors_.begin() + static_cast<std::ptrdiff_t>(found.first + found.size));
  }
  std::sort(frame.factors.begin() + start, frame.factors.end());
  frame.values.push_back(frame.value);
  frame.factor_ends.push_back(static_cast<std::uint32_t>(frame.factors.size()));
}

void Conditioning::close(Frame& frame) {
  known_.emplace(frame.key, frame.values.empty() ? Factors{0, 0, true} : sum_up(frame));
  --depth_;
}

// The sum over all values, as factors.
Conditioning::Factors Conditioning::sum_up(Frame& frame) {
  std::vector<std::uint32_t> common(frame.factors.begin(),
                                    frame.factors.begin() + static_cast<std::ptrdiff_t>(frame.factor_ends[0])),
      both;
  for (std::size_t i = 1; i < frame.values.size(); ++i) {
    both.clear();
    std::set_intersection(
        common.begin(), common.end(), frame.factors.begin() + static_cast<std::ptrdiff_t>(frame.factor_ends[i - 1]),
        frame.factors.begin() + static_cast<std::ptrdiff_t>(frame.factor_ends[i]), std::back_inserter(both));
    std::swap(common, both);
  }
  common.push_back(sum_of_rest(frame, common));
  return kept(common);
}

// The sum over all values of their indicators times what they do not have in common.
std::uint32_t Conditioning::sum_of_rest(const Frame& frame, std::span<const std::uint32_t> common) {
  // Values by the nodes below them; of each its indicator and parameters.
  std::map<std::vector<std::uint32_t>, std::vector<std::vector<std::uint32_t>>> groups;
  std::uint32_t from = 0;
  for (std::size_t i = 0; i < frame.values.size(); ++i) {
    std::vector<std::uint32_t> below, own{first_indicator_[frame.variable] + frame.values[i]};
    for (; from < frame.factor_ends[i]; ++from) {
      const std::uint32_t factor = frame.factors[from];
      if (std::binary_search(common.begin(), common.end(), factor)) continue;
      (nodes_.is_leaf(factor) ? own : below).push_back(factor);
    }
    groups[std::move(below)].push_back(std::move(own));
  }
  std::vector<std::uint32_t> terms, inner;
  for (auto& [below, members] : groups) {
    if (below.size() * (members.size() - 1) >= 2) {
      inner.clear();
      for (std::vector<std::uint32_t>& own : members) inner.push_back(nodes_.product(own));
      std::vector<std::uint32_t> product = below;
      product.push_back(nodes_.sum(frame.variable, inner));
      terms.push_back(nodes_.product(product));
      continue;
    }
    for (std::vector<std::uint32_t>& own : members) {
      own.insert(own.end(), below.begin(), below.end());
      terms.push_back(nodes_.product(own));
    }
  }
  return nodes_.sum(frame.variable, terms);
}

Conditioning::Factors Conditioning::kept(std::span<const std::uint32_t> factors) {
  const std::uint64_t first = factors_.size();
  if (factors.size() <= most_factors) {
    factors_.insert(factors_.end(), factors.begin(), factors.end());
  } else {
    std::vector<std::uint32_t> all(factors.begin(), factors.end());
    factors_.push_back(nodes_.product(all));
  }
  return {first, static_cast<std::uint32_t>(factors_.size() - first), false};
}

bool Conditioning::is_over(const CompileBudget& budget) {
  if (nodes_.n_edges() > budget.most_edges) end_ = CompileEnd::edges;
  if (n_bytes() > budget.most_bytes) end_ = CompileEnd::bytes;
  if (budget.should_stop()) end_ = CompileEnd::stopped;
  return end_ != CompileEnd::done;
}

std::size_t Conditioning::n_bytes() const {
  return diagrams_.n_bytes() + nodes_.n_bytes() + factors_.capacity() * 4 +
         known_.size() * (sizeof(Key) + sizeof(Factors) + 4 * sizeof(void*));
}

}  // namespace learnac
