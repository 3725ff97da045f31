// From a block of bytes to rows. A reader keeps nothing of a block but where it got to: the next block begins with the
// bytes that it left, so that the rows do not depend on how the input was cut.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "text/names.hpp"
#include "text/number.hpp"
#include "text/rows.hpp"

namespace onlineboost::text {

enum class Labels { kRequired, kOptional, kIgnored };

struct Limits {
    std::size_t line = std::size_t{1} << 26;    // bytes of one line or record
    std::size_t record = std::size_t{1} << 20;  // bytes of a record that runs over several lines
    std::size_t batch =
        std::size_t{1} << 24;  // features in rows that nobody has taken yet: a full batch, however few rows it has
};

struct Place {
    std::int64_t bytes = 0, lines = 0, rows = 0, bad = 0;
};

class Reader {
   public:
    Reader(Labels labels, Limits limits) : labels_mode(labels), limits(limits) {}
    virtual ~Reader() = default;

    // Reads whole records until `most_rows` rows or a thousand problems wait to be taken, or until there were
    // `most_bad` problems in all. Gives the bytes that are done with. `last`: the input ends with this block, so that
    // its last line needs no newline.
    std::size_t parse(std::string_view block, bool last, std::size_t most_rows, std::int64_t most_bad);

    // Forgets what was read since `from`, which is to be read again.
    void rewind(const Place& from) {
        place = from;
        rows = {};
        skipping_ = false;
        skipped_ = 0;
    }

    // Bytes that it holds for names.
    virtual std::size_t memory() const { return names.memory() + met_.capacity() * sizeof(std::size_t); }

    // All records before `place` are in the rows or among the problems.
    Place place;
    Place before_problem;  // where the latest malformed record begins
    Rows rows;
    LabelTable labels;
    Names names;
    std::size_t most_features = std::size_t{1} << 18;
    std::uint64_t buckets = 0;  // if not 0, names are hashed to so many features
    char label_separator = 0;   // if not 0, a row has a set of labels, with this character between them
    bool named = true;          // features have names, not numbers
    bool stopped = false;       // the latest parse() ended because enough was waiting

   protected:
    // Whether something must be settled before the next record is read.
    virtual bool waiting() const { return false; }
    // Reads the record at the front of the text, which is not empty. Gives its length with the newline; 0 where it is
    // not complete.
    virtual std::size_t record(std::string_view text, bool last);
    // One line without its newline.
    virtual void line(std::string_view text) = 0;

    void problem(std::string column, std::string message);
    void problem(std::string_view line, const char* at, std::string message) {
        problem(std::to_string(at - line.data() + 1), std::move(message));
    }
    // A row that turned out to be malformed leaves neither features nor names behind.
    void abandon(std::size_t names_before) {
        rows.abandon();
        names.keep(names_before);
    }
    // False, with a problem, where the row has too many features: then it is to be abandoned.
    [[nodiscard]] bool finish(std::int32_t label, double weight);
    void done(std::size_t bytes, std::size_t lines) {
        place.bytes += static_cast<std::int64_t>(bytes);
        place.lines += static_cast<std::int64_t>(lines);
    }
    // A label that is written as a number; false where it is none that can be told from its neighbours.
    bool number_label(std::string_view text, std::int32_t& label);
    // A set of labels, kept as its text; what is wrong with it, or nothing.
    std::string set_label(std::string_view text, std::int32_t& label);
    // Of a feature's name, or of the bucket `#k` that it falls into.
    std::int32_t id_of(std::string_view name);
    // A feature of the current row; a second one of the same id adds to the first. False where the sum is out of range.
    bool feature(std::int32_t id, double value) {
        const auto at = static_cast<std::size_t>(id);
        if (at >= met_.size()) met_.resize(std::max(2 * met_.size(), at + 1), 0);
        const std::size_t before = met_[at];
        if (before >= rows.row_start() && before < rows.data.size() && rows.indices[before] == id)
            return std::abs(rows.data[before] += value) <= kLargestValue || std::isnan(rows.data[before]);
        met_[at] = rows.data.size();
        rows.add(id, value);
        return true;
    }

    std::string too_long() const;
    bool full(std::size_t most_rows, std::int64_t most_bad) const;
    std::int64_t current_line() const { return place.lines + 1; }

    const Labels labels_mode;
    const Limits limits;

   private:
    std::size_t skip(std::string_view text, bool last);

    bool skipping_ = false;  // inside a line beyond the limit
    std::size_t skipped_ = 0;
    std::vector<std::size_t> met_;  // by id: where in the rows it was met last; only a hint
};

bool is_utf8(std::string_view text);
inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trim(std::string_view text);

}  // namespace onlineboost::text
