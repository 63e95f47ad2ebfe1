import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { ANY_VERSION, givenFunction, type HostPart, type HostParts, type NamingSettings, partsOf } from '../../../programs/host-parts.ts'
import { isOpenVersion, knownVersions } from '../guards/find-function.ts'
import type { WorkflowOptions } from './host-options.ts'

/** The agents of every host. */
const BUILT_IN: ReadonlySet<string> = new Set(['rules', 'tool', 'person', 'model', 'script'])

/** Returns the guards and agents of a host, and those that workflows name. */
export function workflowParts({ guards = {}, agents = {} }: WorkflowOptions): HostParts {
  const own = new Set(Object.keys(agents))
  const isOfHost = (name: string): boolean => !BUILT_IN.has(name) || own.has(name)
  return {
    given: () => [
      ...Object.keys(guards).flatMap((name) => {
        const versions = isOpenVersion(guards, name) ? [ANY_VERSION] : knownVersions(guards, name)
        return givenFunction(
          name,
          versions.map((version) => [version]),
        )
      }),
      ...partsOf('agent', own),
    ],
    named(source) {
      const { nodes, edges, metadata } = isObject(source) ? source : {}
      return [...partsOf('agent', agentsIn(nodes, metadata).filter(isOfHost)), ...guardsIn(edges)]
    },
    chosen: (settings) => partsOf('agent', agentsOf(settings).filter(isOfHost)),
  }
}

function agentsIn(nodes: Json | undefined, metadata: Json | undefined): readonly string[] {
  const specs = isObject(nodes) ? Object.values(nodes).map((node) => (isObject(node) ? node['spec'] : undefined)) : []
  return [...specs, metadata].flatMap((place) => (isObject(place) && typeof place['agent'] === 'string' ? [place['agent']] : []))
}

function agentsOf({ agent = {} }: NamingSettings): readonly string[] {
  return [...(agent.default === undefined ? [] : [agent.default]), ...Object.values(agent.perNode ?? {})]
}

/** Guards without a version: no run has pinned them by one. */
function guardsIn(edges: Json | undefined): readonly HostPart[] {
  return (isList(edges) ? edges : []).flatMap((edge) => {
    const guard = isObject(edge) ? edge['guard'] : undefined
    if (!isObject(guard) || guard['type'] !== 'custom' || guard['version'] !== undefined) return []
    return typeof guard['name'] === 'string' ? [{ part: 'function', name: guard['name'] }] : []
  })
}
