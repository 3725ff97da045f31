#include "text/delimited.hpp"

#include <algorithm>

namespace onlineboost::text {

std::string_view DelimitedReader::content(std::string_view text, std::size_t cell) const {
    const Piece& piece = cells_[cell];
    return std::string_view(piece.copied ? unquoted_ : text).substr(piece.from, piece.size);
}

// A cell in quotes, from its opening quote on; leaves `at` behind it.
DelimitedReader::Split DelimitedReader::quoted(std::string_view text, bool last, std::size_t& at) {
    const std::size_t copy = unquoted_.size();
    std::size_t from = ++at;
    for (;; ++at) {
        if (at >= text.size()) return last ? Split::kUnclosed : Split::kMore;
        inner_lines_ += text[at] == '\n';
        if (text[at] != '"') continue;
        if (at + 1 >= text.size() && !last) return Split::kMore;
        if (at + 1 >= text.size() || text[at + 1] != '"') break;
        unquoted_.append(text, from, at + 1 - from);
        from = ++at + 1;
    }
    if (unquoted_.size() > copy) {
        unquoted_.append(text, from, at - from);
        cells_.push_back({copy, unquoted_.size() - copy, true});
    } else {
        cells_.push_back({from, at - from, false});
    }
    ++at;
    while (at < text.size() && is_space(text[at]) && text[at] != separator_) ++at;
    if (at >= text.size()) return last ? Split::kDone : Split::kMore;
    return text[at] == separator_ || text[at] == '\n' ? Split::kDone : Split::kGarbage;
}

// Cuts the record at the front of the text into cells. `used_` is its length without the newline, or how far reading
// came.
DelimitedReader::Split DelimitedReader::split(std::string_view text, bool last) {
    cells_.clear();
    unquoted_.clear();
    inner_lines_ = 0;
    for (std::size_t at = 0;; ++at) {
        std::size_t from = at;
        while (from < text.size() && is_space(text[from]) && text[from] != separator_) ++from;
        if (from < text.size() && text[from] == '"') {
            at = from;
            const Split found = quoted(text, last, at);
            used_ = at;
            if (found != Split::kDone) return found;
        } else {
            at = from;
            while (at < text.size() && text[at] != separator_ && text[at] != '\n') ++at;
            std::size_t to = at;
            while (to > from && is_space(text[to - 1])) --to;
            cells_.push_back({from, to - from, false});
            used_ = at;
            if (at >= text.size() && !last) return Split::kMore;
        }
        if (at >= text.size() || text[at] == '\n') return Split::kDone;
    }
}

// The record is malformed: its first line is passed over.
std::size_t DelimitedReader::refuse(std::string_view text, bool last, std::string message) {
    const std::size_t end = text.find('\n');
    if (end == text.npos && !last) return 0;
    const std::size_t size = end == text.npos ? text.size() : end;
    if (size > limits.line) message = too_long();
    problem("", std::move(message));
    const std::size_t used = size + (end != text.npos);
    done(used, 1);
    return used;
}

std::size_t DelimitedReader::record(std::string_view text, bool last) {
    const std::size_t most_inner = std::min(limits.record, limits.line);
    Split found = split(text, last);
    if (inner_lines_ > 0 && used_ > most_inner) found = Split::kUnclosed;
    switch (found) {
        case Split::kMore:
            return 0;
        case Split::kUnclosed:
            return refuse(text, last,
                          "a quote is opened and not closed within " + std::to_string(most_inner) +
                              " bytes or the rest of the input.");
        case Split::kGarbage:
            return refuse(text, last, "something stands between a closing quote and the next separator.");
        case Split::kDone:
            break;
    }
    if (used_ > limits.line) return refuse(text, last, "");
    const std::size_t used = used_ + (used_ < text.size());
    const std::size_t lines = inner_lines_ + 1;
    read(text.substr(0, used_));
    if (waiting() && !header_wanted_) return 0;  // it is the first row as well
    done(used, lines);
    return used;
}

void DelimitedReader::read(std::string_view text) {
    if (cells_.size() == 1 && trim(text).empty()) return;
    if (text.find('\0') != text.npos || !is_utf8(text)) return problem("", "the line is not text in UTF-8.");
    if (!has_header_) {
        has_header_ = true;
        for (std::size_t k = 0; k < cells_.size(); ++k)
            header.emplace_back(header_wanted_ ? content(text, k) : std::to_string(k));
        return;
    }
    if (cells_.size() != columns.size())
        return problem("", "the line has " + std::to_string(cells_.size()) + " cells where the header has " +
                               std::to_string(columns.size()) + ".");
    Row row;
    begin(row);
    for (std::size_t k = 0; k < cells_.size(); ++k)
        if (!cell(row, k, content(text, k), Cell::kPlain)) return give_up(row);
    end(row);
}

}  // namespace onlineboost::text
