#include "text/json.hpp"

#include "text/number.hpp"

namespace onlineboost::text {

namespace {

constexpr int kDeepest = 64;

void append_utf8(std::string& out, std::uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | code >> 18);
        out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

// RFC 8259's number: no sign but -, no leading zeros, digits on both sides of the point.
bool is_json_number(std::string_view text) {
    std::size_t at = text.starts_with('-');
    const auto digits = [&] {
        const std::size_t from = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return at > from;
    };
    const bool zero = at < text.size() && text[at] == '0';
    const std::size_t first = at;
    if (!digits() || (zero && at > first + 1)) return false;
    if (at < text.size() && text[at] == '.' && (++at, !digits())) return false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (!digits()) return false;
    }
    return at == text.size();
}

}  // namespace

bool JsonReader::wrong(std::string message) {
    problem(line_, p_, std::move(message));
    return false;
}

void JsonReader::spaces() {
    while (p_ < end_ && is_space(*p_)) ++p_;
}

void JsonReader::line(std::string_view text) {
    if (trim(text).empty()) return;
    if (text.find('\0') != text.npos || !is_utf8(text)) return problem("", "the line is not text in UTF-8.");
    while (column_of_.size() < columns.size()) column_of_.id(columns[column_of_.size()].name);
    line_ = text;
    ++serial_;
    p_ = text.data();
    end_ = p_ + text.size();
    path_.clear();
    Row row;
    begin(row);
    spaces();
    bool whole = take('{') ? object(row, 1) : wrong("the line is not a JSON object.");
    if (whole) {
        spaces();
        if (p_ < end_) whole = wrong("something follows the object.");
    }
    if (whole)
        end(row);
    else
        give_up(row);
}

// From behind the opening brace to behind the closing one.
bool JsonReader::object(Row& row, int depth) {
    if (depth > kDeepest) return wrong("objects are nested too deeply.");
    spaces();
    if (take('}')) return true;
    const std::size_t outer = path_.size();
    for (;;) {
        if (!member(row, depth)) return false;
        path_.resize(outer);
        spaces();
        if (take('}')) return true;
        if (!take(',')) return wrong("a comma or a closing brace is missing.");
    }
}

bool JsonReader::member(Row& row, int depth) {
    spaces();
    if (p_ >= end_ || *p_ != '"') return wrong("a name in quotes is missing.");
    if (!string(key_)) return false;
    if (!path_.empty()) path_ += '.';
    path_ += key_;
    spaces();
    if (!take(':')) return wrong("a colon is missing.");
    spaces();
    return value(row, depth);
}

bool JsonReader::value(Row& row, int depth) {
    if (p_ >= end_) return wrong("a value is missing.");
    if (*p_ == '"') return string(text_) && put(row, text_, Cell::kString);
    if (take('{')) return object(row, depth + 1);
    if (*p_ == '[') return wrong("the value of " + shown(path_) + " is a list: use one column for each of its values.");
    const char* const from = p_;
    while (p_ < end_ && *p_ != ',' && *p_ != '}' && !is_space(*p_)) ++p_;
    const std::string_view word(from, static_cast<std::size_t>(p_ - from));
    if (word == "true" || word == "false") return put(row, word, word == "true" ? Cell::kTrue : Cell::kFalse);
    if (word == "null") return put(row, {}, Cell::kMissing);
    if (is_json_number(word) || word == "NaN" || word == "Infinity" || word == "-Infinity")
        return put(row, word, Cell::kPlain);
    p_ = from;
    return wrong("the value " + shown(word) + " is not JSON.");
}

bool JsonReader::put(Row& row, std::string_view text, Cell type) {
    constexpr std::size_t longest = 10'000;
    if (path_.size() > longest) return wrong("a name is longer than 10000 bytes.");
    const auto at = static_cast<std::size_t>(column_of_.id(path_));
    if (at == columns.size()) {
        columns.emplace_back();
        columns.back().name = path_;
    }
    if (at >= met_in_.size()) met_in_.resize(columns.size(), 0);
    if (met_in_[at] == serial_) return wrong("the name " + shown(path_) + " stands twice in one object.");
    met_in_[at] = serial_;
    return cell(row, at, text, type);
}

bool JsonReader::string(std::string& out) {
    out.clear();
    for (++p_; p_ < end_; ++p_) {
        const char* const from = p_;
        while (p_ < end_ && *p_ != '"' && *p_ != '\\' && static_cast<unsigned char>(*p_) >= 0x20) ++p_;
        out.append(from, p_);
        if (p_ == end_) break;
        if (*p_ == '"') {
            ++p_;
            return true;
        }
        if (*p_ != '\\') return wrong("a text holds a control character.");
        if (!escape(out)) return false;
    }
    return wrong("a quote is opened and not closed.");
}

// At a backslash; leaves p_ on the last character of the escape.
bool JsonReader::escape(std::string& out) {
    if (++p_ >= end_) return wrong("a quote is opened and not closed.");
    static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    if (const std::size_t k = from.find(*p_); k != from.npos) {
        out += to[k];
        return true;
    }
    std::uint32_t code, low;
    if (*p_ != 'u' || !code_unit(code)) return wrong("a text holds an escape that JSON does not have.");
    if (code >= 0xD800 && code < 0xE000) {
        const bool pair = code < 0xDC00 && end_ - p_ > 2 && p_[1] == '\\' && p_[2] == 'u';
        if (pair) p_ += 2;
        if (!pair || !code_unit(low) || low < 0xDC00 || low > 0xDFFF)
            return wrong("a text holds half of a surrogate pair.");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code == 0) return wrong("a text holds a NUL character.");
    append_utf8(out, code);
    return true;
}

// Four hexadecimal digits behind the u at p_; leaves p_ on the last.
bool JsonReader::code_unit(std::uint32_t& code) {
    if (end_ - p_ <= 4) return false;
    code = 0;
    for (int k = 1; k <= 4; ++k) {
        const char c = p_[k];
        const int digit = is_digit(c)            ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return false;
        code = 16 * code + static_cast<std::uint32_t>(digit);
    }
    p_ += 4;
    return true;
}

}  // namespace onlineboost::text
