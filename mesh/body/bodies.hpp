// The bodies in a flow. The fluid is the intersection of the fluid regions of all bodies (outside, or inside a cavity).
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mesh/body/body.hpp"

namespace weir {

class Bodies {
 public:
  Bodies(Body only) { all_.push_back(std::move(only)); }  // NOLINT(google-explicit-constructor)
  Bodies(std::vector<Body> all, std::vector<std::string> names) : all_(std::move(all)), names_(std::move(names)) {}

  std::size_t size() const { return all_.size(); }
  Body& operator[](std::size_t b) { return all_[b]; }
  const Body& operator[](std::size_t b) const { return all_[b]; }
  const Body& of(const Foot& foot) const { return all_[static_cast<std::size_t>(foot.body)]; }
  const std::string& name(std::size_t b) const { return names_[b]; }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  void move(double t) {
    for (Body& body : all_) body.move(t);
  }
  bool is_fixed() const { return std::ranges::all_of(all_, &Body::is_fixed); }
  bool has_cavity() const { return std::ranges::any_of(all_, &Body::is_cavity); }

 private:
  std::vector<Body> all_;
  std::vector<std::string> names_ = {"body"};
};

}  // namespace weir
