#include "solvers/c/client.hpp"

#include <omp.h>

#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace weir::c {
namespace {

struct Clients {
  std::shared_mutex access;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Client>> all;
  std::uintptr_t next = 1;  // odd: never the address of an object
};
// Never destroyed: a solver that the program leaves must not end after MPI.
Clients& clients() {
  static auto& clients = *new Clients;
  return clients;
}

struct Refusal {
  const weir_solver_t* handle = nullptr;
  std::string message;
};
thread_local Refusal last_refusal;

constexpr const char* no_solver = "this solver has been destroyed, or it has never been created";

}  // namespace

weir_solver_t* add_client(std::shared_ptr<Client> client) {
  const std::unique_lock lock(clients().access);
  clients().all.emplace(clients().next, std::move(client));
  return reinterpret_cast<weir_solver_t*>(std::exchange(clients().next, clients().next + 2));
}

std::shared_ptr<Client> find_client(const weir_solver_t* handle) {
  const std::shared_lock lock(clients().access);
  const auto found = clients().all.find(reinterpret_cast<std::uintptr_t>(handle));
  return found == clients().all.end() ? nullptr : found->second;
}

std::shared_ptr<Client> remove_client(const weir_solver_t* handle) {
  const std::unique_lock lock(clients().access);
  const auto found = clients().all.find(reinterpret_cast<std::uintptr_t>(handle));
  if (found == clients().all.end()) return nullptr;
  std::shared_ptr<Client> client = std::move(found->second);
  clients().all.erase(found);
  return client;
}

int refuse_call(const weir_solver_t* handle, const char* message) {
  last_refusal = {handle, message};
  return WEIR_BAD_INPUT;
}
int refuse_handle(const weir_solver_t* handle) {
  return refuse_call(handle, handle ? no_solver : "the solver is a null pointer");
}

const char* last_message(const weir_solver_t* handle) {
  if (!handle || last_refusal.handle == handle) return last_refusal.message.c_str();
  const auto client = find_client(handle);
  return client ? client->error.c_str() : no_solver;
}

Call::Call(const weir_solver_t* handle) : client_(find_client(handle)), threads_before_(omp_get_max_threads()) {
  if (!client_) {
    refuse_handle(handle);
  } else if (client_->is_in_use.exchange(true)) {
    client_.reset();
    refuse_call(handle, "another call of this solver has not ended: each thread needs a solver of its own");
  } else {
    if (last_refusal.handle == handle) last_refusal.handle = nullptr;
    if (client_->threads > 0) omp_set_num_threads(client_->threads);
  }
}
Call::~Call() {
  omp_set_num_threads(threads_before_);
  if (client_) client_->is_in_use = false;
}

}  // namespace weir::c
