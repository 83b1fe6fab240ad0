#pragma once

// A StepObserver that is told of whole replays, too: what GraphRunner::observe takes. One thread
// calls it, but for work_begins and work_ends. Nothing may be allocated between step_begins and
// step_ends: captured() is the place to take memory.

#include <memory>
#include <vector>

#include "backend/step_observer.h"
#include "runner/observed_graph.h"

namespace deepinfer {

class StepWatcher : public StepObserver {
 public:
  /// These graphs were captured; those of an earlier capture are gone.
  virtual void captured(std::shared_ptr<const ObservedCapture> capture) = 0;
  /// A replay of `graph`, a number among ObservedCapture::graphs, begins: first the metadata copy,
  /// outside the graph, …
  virtual void step_begins(int graph) = 0;
  /// … then the graph's run, …
  virtual void run_begins() = 0;
  /// … which is over. Not called if the run failed.
  virtual void step_ends() = 0;

  void op_begins(int /*node*/) override {}
  void op_ends(int /*node*/) override {}
  void region_begins(int /*call*/) override {}
  void region_ends(int /*call*/) override {}
  void work_begins(int /*member*/) override {}
  void work_ends(int /*member*/) override {}
};

/// Hands everything on to several watchers, in the order they were added. Does not own them.
class StepWatchers : public StepWatcher {
 public:
  void add(StepWatcher& watcher) { watchers_.push_back(&watcher); }
  bool empty() const { return watchers_.empty(); }

  void captured(std::shared_ptr<const ObservedCapture> capture) override {
    for (StepWatcher* watcher : watchers_) watcher->captured(capture);
  }
  void step_begins(int graph) override {
    for (StepWatcher* watcher : watchers_) watcher->step_begins(graph);
  }
  void run_begins() override {
    for (StepWatcher* watcher : watchers_) watcher->run_begins();
  }
  void step_ends() override {
    for (StepWatcher* watcher : watchers_) watcher->step_ends();
  }
  void op_begins(int node) override {
    for (StepWatcher* watcher : watchers_) watcher->op_begins(node);
  }
  void op_ends(int node) override {
    for (StepWatcher* watcher : watchers_) watcher->op_ends(node);
  }
  void region_begins(int call) override {
    for (StepWatcher* watcher : watchers_) watcher->region_begins(call);
  }
  void region_ends(int call) override {
    for (StepWatcher* watcher : watchers_) watcher->region_ends(call);
  }
  void work_begins(int member) override {
    for (StepWatcher* watcher : watchers_) watcher->work_begins(member);
  }
  void work_ends(int member) override {
    for (StepWatcher* watcher : watchers_) watcher->work_ends(member);
  }

 private:
  std::vector<StepWatcher*> watchers_;
};

}  // namespace deepinfer
