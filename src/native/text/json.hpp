// JSON lines: one object a line (RFC 8259), a key being a column.
#pragma once
#include "text/table.hpp"

namespace onlineboost::text {

// The members of an object inside are columns `outer.inner`; lists are malformed. A string is text even if it looks
// like a number, as far as the first rows decide what a column holds. true and false are 1 and 0 where numbers are
// wanted.
class JsonReader final : public TableReader {
   public:
    using TableReader::TableReader;

   protected:
    void line(std::string_view text) override;

   private:
    bool object(Row& row, int depth);
    bool member(Row& row, int depth);
    bool value(Row& row, int depth);
    bool string(std::string& out);
    bool escape(std::string& out);
    bool code_unit(std::uint32_t& code);
    bool put(Row& row, std::string_view text, Cell type);
    void spaces();
    bool wrong(std::string message);
    bool take(char c) { return p_ < end_ && *p_ == c && (++p_, true); }

    std::string_view line_;
    const char* p_ = nullptr;
    const char* end_ = nullptr;
    std::string path_, key_, text_;
    Names column_of_;                    // the columns by name, in the order of `columns`
    std::vector<std::uint64_t> met_in_;  // by column: the object that had it last
    std::uint64_t serial_ = 0;           // of the object
};

}  // namespace onlineboost::text
