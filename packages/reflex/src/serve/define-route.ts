import type { z } from 'zod'
import type { Route } from '../programs/route.ts'
import type { ServeRoute, ServeWorld } from './world.ts'

/** Returns a route; its handler sees the types of its schemas. */
export function route<
  Path extends z.ZodType<object> = z.ZodType<object>,
  Query extends z.ZodType<object> = z.ZodType<object>,
  Body extends z.ZodType = z.ZodType,
>(definition: Route<ServeWorld, Path, Query, Body>): ServeRoute {
  return definition
}
