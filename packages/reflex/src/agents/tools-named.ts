import type { Workflow } from '../kinds/workflow/index.ts'
import { isForeign } from './read-spec.ts'

/** Returns the names of the tools that the nodes of a workflow call (`tool`) or offer their models (`tools`), as they are written. */
export function toolsNamed({ nodes }: Workflow): readonly string[] {
  return Object.values(nodes).flatMap(({ spec }) => {
    if (isForeign(spec)) return []
    const { tool, tools } = spec
    const offered: readonly unknown[] = Array.isArray(tools) ? tools : []
    return [tool, ...offered].filter((name) => typeof name === 'string')
  })
}
