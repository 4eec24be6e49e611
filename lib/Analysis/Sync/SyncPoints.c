//===- SyncPoints.c - Where barriers and fences will stand ----------------===//

#include "SyncFlow.h"

TileSyncPoint *sync_point_find(const TileSyncPlan *plan, MlirOperation op) {
  for (size_t i = 0; i < plan->num_points; i++)
    if (mlirOperationEqual(plan->points[i].before, op))
      return &plan->points[i];
  return NULL;
}

TileSyncPoint *sync_point_get(Flow *flow, MlirOperation op) {
  TileSyncPlan *plan = flow->plan;
  TileSyncPoint *point = sync_point_find(plan, op);
  if (point)
    return point;
  TILE_ARENA_RESERVE(flow->arena, plan->points, plan->num_points,
                     plan->capacity);
  point = &plan->points[plan->num_points++];
  *point = (TileSyncPoint){.before = op};
  return point;
}

TileSyncPlan sync_plan_copy(const Flow *flow, const TileSyncPlan *plan) {
  TileSyncPlan copy = *plan;
  copy.points = TILE_ARENA_NEW(flow->arena, TileSyncPoint, plan->capacity + 1);
  if (plan->num_points)
    memcpy(copy.points, plan->points, plan->num_points * sizeof *plan->points);
  return copy;
}

TileSyncPoint sync_plan_extra(const TileSyncPlan *plan,
                              const TileSyncPlan *base) {
  TileSyncPoint extra = {0};
  for (size_t i = 0; i < plan->num_points; i++) {
    const TileSyncPoint *point = &plan->points[i];
    const TileSyncPoint *other = sync_point_find(base, point->before);
    extra.barrier |= point->barrier && !(other && other->barrier);
    extra.fence |= (uint8_t)(point->fence & ~(other ? other->fence : 0));
  }
  return extra;
}
