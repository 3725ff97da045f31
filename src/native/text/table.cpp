#include "text/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/math.hpp"
#include "text/hash.hpp"
#include "text/number.hpp"
#include "text/time.hpp"

namespace onlineboost::text {

namespace {

constexpr double kLargestSeconds = 1e12;  // some 30,000 years

// 1 or 0 for what spreadsheets and programs write for true and false; -1 for anything else.
int flag_of(std::string_view text) {
    if (text == "true" || text == "True" || text == "TRUE") return 1;
    return text == "false" || text == "False" || text == "FALSE" ? 0 : -1;
}

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

// A whole number as such, any other in the shortest form that gives it back.
std::string_view text_of(double value, std::string& buffer) {
    char digits[32];
    const bool whole = std::floor(value) == value && std::abs(value) < 0x1p53;
    const auto end = whole ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr
                           : std::to_chars(digits, digits + sizeof digits, value).ptr;
    buffer.assign(digits, end);
    return buffer;
}

void TableReader::begin(Row& row) {
    row = Row{names.size()};
    late_.clear();
    dated_.clear();
}

void TableReader::decide() {
    for (Column& column : columns) column.decide();
    ++decided_;
}

bool TableReader::misfit(Column& column, std::string message) {
    if (!forgiving) return refuse(column, std::move(message));
    message.back() = ':';
    problem(column.name, std::move(message) + " taken as missing.");
    return missing_cell(column);
}

bool TableReader::missing_cell(Column& column) {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    if (!gaps) return true;
    if (column.kind == Kind::kNumber || column.kind == Kind::kFlag) return number_feature(column, nothing);
    if (column.kind == Kind::kTime) return named_feature(column, TimeFeatures::kNames[TimeFeatures::kTrend], nothing);
    return true;
}

void TableReader::look(Column& column, std::string_view text, Cell type) {
    double value;
    const bool plain = type == Cell::kPlain;
    if (plain && parse_number(text, value) != Number::kNone)
        column.numbers = true;
    else if (type == Cell::kTrue || type == Cell::kFalse || (plain && flag_of(text) >= 0))
        column.flags = true;
    else if (parse_time(text, value))
        column.times = true;
    else
        column.others = true;
}

bool TableReader::cell(Row& row, std::size_t at, std::string_view text, Cell type) {
    Column& column = columns[at];
    if (column.kind == Kind::kIgnored || (column.kind == Kind::kLabel && labels_mode == Labels::kIgnored)) return true;
    if (column.kind == Kind::kCategory && type != Cell::kMissing && !looking)
        if (const std::int32_t id = column.recent.find(names, text); id >= 0)
            return feature(id, 1.0) || refuse(column, "the feature goes beyond 1e100.");
    const bool unknown = text == "?" && column.kind != Kind::kLabel && column.kind != Kind::kCategory &&
                         column.kind != Kind::kHash && column.kind != Kind::kCounts && column.kind != Kind::kText;
    if (type == Cell::kMissing || unknown || is_missing(text)) {
        if (looking) return true;
        return column.kind != Kind::kWeight ? missing_cell(column) : refuse(column, "the weight is missing.");
    }
    if (looking || column.kind == Kind::kUndecided) {
        look(column, text, type);
        if (looking) return true;
        column.decide();
        late_.push_back(at);
    }
    double value = 0.0;
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
            return number_text(column, text, type);
        case Kind::kFlag:
            return flag_text(column, text, type);
        case Kind::kTime:
            if (parse_time(text, value)) return time_feature(column, value);
            if (parse_number(text, value) == Number::kFinite && std::abs(value) <= kLargestSeconds)
                return time_feature(column, value * kMicrosPerSecond);
            return misfit(column, "the value " + shown(text) +
                                      " is not a time such as 2024-01-31, 2024-01-31T12:00 or seconds since 1970.");
        case Kind::kCategory:
            if (!named_feature(column, text, 1.0)) return false;
            column.recent.put(text, named_);
            return true;
        case Kind::kHash:
            return named_feature(column, std::to_string(bucket(text, static_cast<int>(column.setting))), 1.0);
        default:
            return words(column, text);
    }
}

bool TableReader::number_text(Column& column, std::string_view text, Cell type) {
    double value = 0.0;
    if (type == Cell::kTrue || type == Cell::kFalse) return number_feature(column, type == Cell::kTrue);
    if (parse_number(text, value) == Number::kFinite) return number_feature(column, value);
    if (const int flag = flag_of(text); flag >= 0) return number_feature(column, flag);
    return misfit(column, "the value " + shown(text) + " is not a finite number up to 1e100.");
}

bool TableReader::flag_text(Column& column, std::string_view text, Cell type) {
    double value = 0.0;
    if (type == Cell::kTrue || type == Cell::kFalse) return number_feature(column, type == Cell::kTrue);
    if (const int flag = flag_of(text); flag >= 0) return number_feature(column, flag);
    if (parse_number(text, value) == Number::kFinite && (value == 0.0 || value == 1.0))
        return number_feature(column, value);
    return misfit(column, "the value " + shown(text) + " is neither true nor false.");
}

bool TableReader::number_cell(Row& row, std::size_t at, double value) {
    Column& column = columns[at];
    if (column.kind == Kind::kNumber && std::abs(value) <= kLargestValue) return number_feature(column, value);
    if (column.kind == Kind::kIgnored) return true;
    if (std::isnan(value)) return cell(row, at, {}, Cell::kMissing);
    if (column.kind == Kind::kUndecided) {
        column.numbers = true;
        column.decide();
        late_.push_back(at);
    }
    switch (column.kind) {
        case Kind::kNumber:
            if (std::abs(value) <= kLargestValue) return number_feature(column, value);
            return misfit(column, "the value is not a finite number up to 1e100.");
        case Kind::kFlag:
            return value == 0.0 || value == 1.0 ? number_feature(column, value)
                                                : misfit(column, "the value is neither true nor false.");
        case Kind::kTime:
            return std::abs(value) <= kLargestSeconds * kMicrosPerSecond ? time_feature(column, value)
                                                                         : misfit(column, "the value is not a time.");
        case Kind::kWeight:
            if (!(value >= 0.0 && value <= kLargestWeight))
                return refuse(column, "the weight is not a number from 0 to 1e15.");
            row.weight = value;
            row.weighed = true;
            return true;
        default:
            return cell(row, at, text_of(value, number_), Cell::kString);
    }
}

bool TableReader::time_feature(Column& column, double micros) {
    if (column.setting == Column::kNoTime) {
        column.setting = static_cast<std::int64_t>(std::floor(micros / kMicrosPerSecond));
        dated_.push_back(static_cast<std::size_t>(&column - columns.data()));
    }
    const TimeFeatures made = time_features(micros, column.setting);
    for (int k = 0; k < TimeFeatures::kCount; ++k)
        if (!named_feature(column, TimeFeatures::kNames[k], made.values[k])) return false;
    return true;
}

bool TableReader::label_cell(Row& row, const Column& column, std::string_view text) {
    if (label_separator != 0) {
        std::string wrong = set_label(text, row.label);
        return wrong.empty() || refuse(column, std::move(wrong));
    }
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
    if (column.id < 0) column.id = id_of(column.name);
    return feature(column.id, value) || refuse(column, "the feature goes beyond 1e100.");
}

bool TableReader::name_feature(const Column& column, std::string_view text) {
    if (column.name.size() + text.size() >= kLongestName)
        return refuse(column, "the category " + shown(text) +
                                  " is longer than 10000 bytes: declare the column as hash:BITS or text.");
    name_ = column.name;
    if (column.kind != Kind::kTime) name_ += column.kind == Kind::kCategory ? '=' : '#';
    name_ += text;
    named_ = id_of(name_);
    return true;
}

bool TableReader::named_feature(const Column& column, std::string_view text, double value) {
    if (!name_feature(column, text)) return false;
    return feature(named_, value) || refuse(column, "the feature goes beyond 1e100.");
}

bool TableReader::word(const Column& column, std::string_view text) {
    const std::string number = std::to_string(bucket(text, static_cast<int>(column.setting)));
    if (column.kind != Kind::kText || buckets == 0) return named_feature(column, number, 1.0);
    if (!name_feature(column, number)) return false;
    met_words_.emplace_back(named_, met_words_.size());
    return true;
}

// Where words share their features with other columns, they are counted on their own: in the order in which they came.
bool TableReader::count_words(const Column& column) {
    std::sort(met_words_.begin(), met_words_.end());
    std::vector<std::pair<std::size_t, std::size_t>> found;  // where a feature came first, and where its run begins
    for (std::size_t k = 0; k < met_words_.size(); ++k)
        if (k == 0 || met_words_[k].first != met_words_[k - 1].first) found.emplace_back(met_words_[k].second, k);
    std::sort(found.begin(), found.end());
    for (const auto& [place, run] : found) {
        const std::int32_t id = met_words_[run].first;
        std::size_t stop = run;
        while (stop < met_words_.size() && met_words_[stop].first == id) ++stop;
        if (!feature(id, math::log_fixed(1.0 + static_cast<double>(stop - run))))
            return refuse(column, "the feature goes beyond 1e100.");
    }
    return true;
}

// A word is a run of letters and digits, small and capital ASCII letters being the same; its feature counts how often
// it stands there. Of kText, pairs of words that follow each other are features, too, and a count c becomes log(1 + c).
bool TableReader::words(const Column& column, std::string_view text) {
    const std::size_t first = rows.data.size();
    const bool pairs = column.kind == Kind::kText;
    pair_.clear();
    met_words_.clear();
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word_byte(static_cast<unsigned char>(text[at]))) {
            ++at;
            continue;
        }
        word_.clear();
        for (; at < text.size() && is_word_byte(static_cast<unsigned char>(text[at])); ++at)
            word_ += text[at] >= 'A' && text[at] <= 'Z' ? static_cast<char>(text[at] + 32) : text[at];
        if (!word(column, word_)) return false;
        if (!pairs) continue;
        if (!pair_.empty()) {
            pair_ += ' ';
            pair_ += word_;
            if (!word(column, pair_)) return false;
        }
        pair_ = word_;
    }
    if (pairs && buckets != 0) return count_words(column);
    if (pairs)
        for (std::size_t k = first; k < rows.data.size(); ++k) rows.data[k] = math::log_fixed(1.0 + rows.data[k]);
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
    if (!finish(row.label, row.weight)) return give_up(row);
    decided_ += late_.size() + dated_.size();
}

void TableReader::give_up(Row& row) {
    abandon(row.names_before);
    for (const std::size_t at : dated_) columns[at].setting = Column::kNoTime;
    for (const std::size_t at : late_) columns[at].forget();
    for (Column& column : columns) {
        column.recent.clear();
        if (column.id >= static_cast<std::int32_t>(names.size())) column.id = -1;
    }
}

}  // namespace onlineboost::text
