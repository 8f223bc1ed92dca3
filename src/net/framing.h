// Where a request's body ends is decided by its header block, and two parties that decide
// differently can be played against each other. This is the one place where we bend: TensorFlow's
// gs:// client sends Content-Length together with chunked, and "Transfer-Encoding: identity"; boto
// (gsutil's XML side) announces extensions of its chunks and sends none. Everything else that is ambiguous is refused.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fireweed::net {

// Same length as the field names they stand in for, so that a block is mended in place.
inline constexpr std::string_view kDroppedLength = "x-dropped-len-";
inline constexpr std::string_view kDroppedCoding = "x-dropped-coding-";

// `head` is a request line and its header lines up to and including the empty line. In it
//   - Content-Length beside chunked is renamed away (chunked wins), and so is "Transfer-Encoding:
//   identity";
//   - equal repeats of Content-Length are renamed away.
// Returns why the block must be refused, or nullopt. Pure; keeps the length of `head`.
std::optional<std::string_view> MendFraming(std::span<char> head);

// `bytes` is where a parser stands that does not like the extension of a chunk's header: the line, with the line end of
// the chunk before it if there is one. Where the line is a size and a bare ';', gives the same line without that sign,
// of the same length and value; else an empty string.
std::string MendChunkHeader(std::string_view bytes);

// The length of the block that ends with the first empty line, or nullopt when it is not there yet.
// Takes bare line feeds for line ends as well, so that they are refused at once and not waited for.
// `from` is where an earlier search over the same bytes may go on: at most their count then,
// less 3.
std::optional<size_t> FindHeadEnd(std::string_view bytes, size_t from);

}  // namespace fireweed::net
