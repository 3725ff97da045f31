#include "text/table.hpp"

#include <algorithm>
#include <cmath>

#include "text/hash.hpp"
#include "text/number.hpp"

namespace onlineboost::text {

namespace {

constexpr double kLargestWeight = 1e15;  // as in onlineboost._input
constexpr std::size_t kLongestName = 10'000;

bool is_word_byte(unsigned char c) {
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

bool TableReader::is_missing(std::string_view text) const {
    return std::any_of(missing.begin(), missing.end(), [text](const std::string& one) { return one == text; });
}

bool TableReader::refuse(const Column& column, std::string message) {
    problem(column.name, std::move(message));
    return false;
}

void TableReader::begin(Row& row) {
    row = Row{names.size()};
    late_.clear();
}

void TableReader::decide() {
    for (Column& column : columns) column.decide();
}

bool TableReader::cell(Row& row, std::size_t at, std::string_view text, Cell type) {
    Column& column = columns[at];
    if (column.kind == Kind::kIgnored || (column.kind == Kind::kLabel && labels_mode == Labels::kIgnored)) return true;
    if (type == Cell::kMissing || is_missing(text)) {
        if (column.kind != Kind::kWeight || looking) return true;
        return refuse(column, "the weight is missing.");
    }
    double value = 0.0;
    if (looking || column.kind == Kind::kUndecided) {
        const bool number = type == Cell::kTrue || type == Cell::kFalse ||
                            (type == Cell::kPlain && parse_number(text, value) != Number::kNone);
        (number ? column.numbers : column.others) = true;
        if (looking) return true;
        column.decide();
        late_.push_back(at);
    }
    switch (column.kind) {
        case Kind::kLabel:
            return label_cell(row, column, text);
        case Kind::kWeight:
            if (parse_number(text, value) != Number::kFinite || value < 0.0 || value > kLargestWeight)
                return refuse(column, "the weight " + shown(text) + " is not a number from 0 to 1e15.");
            row.weight = value;
            row.weighed = true;
            return true;
        case Kind::kNumber:
            if (type == Cell::kTrue || type == Cell::kFalse)
                value = type == Cell::kTrue;
            else if (parse_number(text, value) != Number::kFinite)
                return refuse(column, "the value " + shown(text) + " is not a finite number up to 1e100.");
            return number_feature(column, value);
        case Kind::kCategory:
            return named_feature(column, text, 1.0);
        case Kind::kHash:
            return named_feature(column, std::to_string(bucket(text, column.bits)), 1.0);
        default:
            return words(column, text);
    }
}

// For formats that have numbers rather than their text; NaN is a missing cell.
bool TableReader::number_cell(Row& row, std::size_t at, double value) {
    Column& column = columns[at];
    if (std::isnan(value)) return cell(row, at, {}, Cell::kMissing);
    if (column.kind == Kind::kNumber)
        return std::abs(value) <= kLargestValue ? number_feature(column, value)
                                                : refuse(column, "the value is not a finite number up to 1e100.");
    if (!(value >= 0.0 && value <= kLargestWeight)) return refuse(column, "the weight is not a number from 0 to 1e15.");
    row.weight = value;
    row.weighed = true;
    return true;
}

bool TableReader::label_cell(Row& row, const Column& column, std::string_view text) {
    double value;
    const Number number = parse_number(text, value);
    if (text.size() > LabelTable::kLongest)
        return refuse(column, "the label " + shown(text) + " is longer than 1000 bytes.");
    if (number == Number::kBeyond || (number == Number::kFinite && !number_label(text, row.label)))
        return refuse(column, "the label " + shown(text) + " is not a number below 2^53 in size.");
    if (number == Number::kNone) row.label = labels.text(text);
    row.labelled = true;
    return true;
}

bool TableReader::number_feature(Column& column, double value) {
    if (column.id < 0) column.id = names.id(column.name);
    return feature(column.id, value) || refuse(column, "the feature goes beyond 1e100.");
}

bool TableReader::named_feature(const Column& column, std::string_view text, double value) {
    if (column.name.size() + text.size() >= kLongestName)
        return refuse(column, "the category " + shown(text) +
                                  " is longer than 10000 bytes: declare the column as hash:BITS or text:BITS.");
    name_ = column.name;
    name_ += column.kind == Kind::kCategory ? '=' : '#';
    name_ += text;
    return feature(names.id(name_), value) || refuse(column, "the feature goes beyond 1e100.");
}

// A word is a run of letters and digits, small and capital ASCII letters being the same; its feature counts how often
// it stands there.
bool TableReader::words(const Column& column, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word_byte(static_cast<unsigned char>(text[at]))) {
            ++at;
            continue;
        }
        word_.clear();
        for (; at < text.size() && is_word_byte(static_cast<unsigned char>(text[at])); ++at)
            word_ += text[at] >= 'A' && text[at] <= 'Z' ? static_cast<char>(text[at] + 32) : text[at];
        if (!named_feature(column, std::to_string(bucket(word_, column.bits)), 1.0)) return false;
    }
    return true;
}

void TableReader::end(Row& row) {
    if (looking) return static_cast<void>(finish(LabelTable::kNone, 1.0));  // it has no features
    if (labels_mode == Labels::kRequired && !row.labelled) {
        const auto label =
            std::find_if(columns.begin(), columns.end(), [](const Column& c) { return c.kind == Kind::kLabel; });
        problem(label == columns.end() ? "" : label->name, "the label is missing.");
        return give_up(row);
    }
    if (weights_wanted && !row.weighed) {
        problem("", "the weight is missing.");
        return give_up(row);
    }
    if (!finish(row.label, row.weight)) give_up(row);
}

void TableReader::give_up(Row& row) {
    abandon(row.names_before);
    for (const std::size_t at : late_)
        columns[at].kind = Kind::kUndecided, columns[at].numbers = columns[at].others = false;
    for (Column& column : columns)
        if (column.id >= static_cast<std::int32_t>(names.size())) column.id = -1;
}

}  // namespace onlineboost::text
