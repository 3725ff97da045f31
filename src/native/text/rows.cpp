#include "text/rows.hpp"

#include <cmath>

namespace onlineboost::text {

std::string shown(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string piece = "\"";
    std::size_t length = std::min(text.size(), most);
    while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
        --length;  // a whole character
    for (const char c : text.substr(0, length)) piece += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    piece += length < text.size() ? "…\"" : "\"";
    return piece;
}

std::int32_t LabelTable::number(double value) {
    if (recent_ >= 0 && labels_[static_cast<std::size_t>(recent_)].number == value) return recent_;
    const auto [place, fresh] = numbers_.try_emplace(value + 0.0, static_cast<std::int32_t>(labels_.size()));
    if (fresh)
        labels_.push_back({value == std::trunc(value) ? Label::Kind::kInteger : Label::Kind::kReal, value + 0.0, {}});
    return recent_ = place->second;
}

std::int32_t LabelTable::text(std::string_view value) {
    const auto [place, fresh] = texts_.try_emplace(std::string(value), static_cast<std::int32_t>(labels_.size()));
    if (fresh) labels_.push_back({Label::Kind::kText, std::nan(""), std::string(value)});
    return place->second;
}

}  // namespace onlineboost::text
