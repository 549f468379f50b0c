// What is known of each row: codes, -1 where nothing is, and likelihoods for some variables.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "infer/passes.hpp"

namespace learnac {

// The smallest and largest of some codes; 0 and -1 of none.
struct CodeRange {
  std::int64_t smallest = 0;
  std::int64_t largest = -1;
};
template <class Code>
CodeRange range_of(std::span<const Code> codes);

// Codes of (variables x rows) in 8, 16 or 32 bits.
struct CodeTable {
  const void* data;
  int bits;
  std::size_t n_rows;

  std::int32_t get(std::uint32_t variable, std::size_t row) const {
    const std::size_t at = variable * n_rows + row;
    if (bits == 8) return static_cast<const std::int8_t*>(data)[at];
    if (bits == 16) return static_cast<const std::int16_t*>(data)[at];
    return static_cast<const std::int32_t*>(data)[at];
  }
};

// The same, to be filled with worlds that were found.
struct WorldTable {
  void* data;
  int bits;
  std::size_t n_rows;

  void set(std::uint32_t variable, std::size_t row, std::uint32_t code) const {
    const std::size_t at = variable * n_rows + row;
    if (bits == 8)
      static_cast<std::int8_t*>(data)[at] = static_cast<std::int8_t>(code);
    else if (bits == 16)
      static_cast<std::int16_t*>(data)[at] = static_cast<std::int16_t>(code);
    else
      static_cast<std::int32_t*>(data)[at] = static_cast<std::int32_t>(code);
  }
};

CodeRange range_of(const CodeTable& codes, std::uint32_t variable);

struct Evidence {
  CodeTable codes;
  // Likelihoods from 0 to 1 for each value of the soft variables, one variable after the other, for each row.
  std::span<const std::uint32_t> soft_variables;
  std::span<const double> likelihoods;
  std::size_t n_likelihoods = 0;  // of a row

  std::size_t n_rows() const { return codes.n_rows; }
};

// Puts one row into each lane; where there are fewer rows than lanes, the first row again.
template <class Lanes>
void load(Block<Lanes>& block, const Evidence& evidence, std::span<const std::size_t> rows) {
  const Program& program = block.program;
  Lanes one, zero;
  fill(one, {1, 0});
  fill(zero, {0, 0});
  const auto row_of = [&](int l) { return rows[static_cast<std::size_t>(l) < rows.size() ? l : 0]; };
  for (std::uint32_t v = 0; v < program.n_variables(); ++v) {
    Lanes* const indicators = block.indicators.data() + program.first_indicator(v);
    const std::uint32_t arity = program.arity(v);
    std::fill_n(indicators, arity, zero);
    for (int l = 0; l < Lanes::n_lanes; ++l) {
      const std::int32_t code = evidence.codes.get(v, row_of(l));
      if (code >= static_cast<std::int32_t>(arity)) throw std::invalid_argument("the codes changed under way");
      if (code >= 0)
        copy_lane(indicators[code], one, l);
      else
        for (std::uint32_t k = 0; k < arity; ++k) copy_lane(indicators[k], one, l);
    }
  }
  std::size_t column = 0;
  for (const std::uint32_t v : evidence.soft_variables)
    for (std::uint32_t k = 0; k < program.arity(v); ++k, ++column)
      for (int l = 0; l < Lanes::n_lanes; ++l) {
        Lanes& indicator = block.indicators[program.first_indicator(v) + k];
        if (indicator.mantissa[l] != 0)
          set_lane(indicator, l, evidence.likelihoods[row_of(l) * evidence.n_likelihoods + column]);
      }
  block.count_open();
}

}  // namespace learnac
