// CSV and TSV: RFC 4180, with any one-byte separator.
#pragma once
#include "text/table.hpp"

namespace onlineboost::text {

// A cell in quotes may hold separators, newlines and doubled quotes; around other cells spaces do not count. Blank
// lines are passed over. A record whose quotes are wrong costs its first line, and reading goes on with the next one.
class DelimitedReader final : public TableReader {
   public:
    DelimitedReader(Labels labels, Limits limits, char separator, bool header)
        : TableReader(labels, limits), separator_(separator), header_wanted_(header) {}

    // The cells of the first record, once it was met; `columns` must be given then before reading goes on.
    bool has_header() const { return has_header_; }
    std::vector<std::string> header;
    void settle() { settled_ = true; }

   protected:
    bool waiting() const override { return has_header_ && !settled_; }
    std::size_t record(std::string_view text, bool last) override;
    void line(std::string_view) override {}

   private:
    struct Piece {
        std::size_t from, size;
        bool copied;  // from `unquoted_` rather than the text
    };
    enum class Split { kDone, kMore, kUnclosed, kGarbage };
    Split split(std::string_view text, bool last);
    Split quoted(std::string_view text, bool last, std::size_t& at);
    std::size_t refuse(std::string_view text, bool last, std::string message);
    std::string_view content(std::string_view text, std::size_t cell) const;
    void read(std::string_view text);

    const char separator_;
    const bool header_wanted_;
    bool has_header_ = false, settled_ = false;
    std::vector<Piece> cells_;
    std::string unquoted_;  // the cells that held doubled quotes
    std::size_t used_ = 0, inner_lines_ = 0;
};

}  // namespace onlineboost::text
