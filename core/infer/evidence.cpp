#include "infer/evidence.hpp"

#include <algorithm>

namespace learnac {

template <class Code>
CodeRange range_of(std::span<const Code> codes) {
  if (codes.empty()) return {};
  Code smallest = codes[0], largest = codes[0];
  for (const Code code : codes) {
    smallest = std::min(smallest, code);
    largest = std::max(largest, code);
  }
  return {smallest, largest};
}

template CodeRange range_of(std::span<const std::int8_t>);
template CodeRange range_of(std::span<const std::int16_t>);
template CodeRange range_of(std::span<const std::int32_t>);
template CodeRange range_of(std::span<const std::uint8_t>);
template CodeRange range_of(std::span<const std::uint16_t>);

CodeRange range_of(const CodeTable& codes, std::uint32_t variable) {
  const auto of_column = [&]<class Code>(const Code* data) {
    return range_of(std::span<const Code>(data + variable * codes.n_rows, codes.n_rows));
  };
  if (codes.bits == 8) return of_column(static_cast<const std::int8_t*>(codes.data));
  if (codes.bits == 16) return of_column(static_cast<const std::int16_t*>(codes.data));
  return of_column(static_cast<const std::int32_t*>(codes.data));
}

}  // namespace learnac
