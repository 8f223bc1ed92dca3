// Names of Asio's that our internal headers mention without including it.
#pragma once

namespace boost::asio {
class any_io_executor;
class io_context;
template <typename, typename>
class awaitable;
}  // namespace boost::asio

namespace fireweed::net {

// A coroutine of this folder. House rule: one co_await per statement, every operand named first.
template <class T>
using Task = boost::asio::awaitable<T, boost::asio::any_io_executor>;

}  // namespace fireweed::net
