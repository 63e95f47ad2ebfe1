import type { Fault } from '../../../kernel/index.ts'
import { quote, suggest } from '../../../text/index.ts'
import type { Adapter } from '../model/adapter.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { faults } from './faults.ts'
import { graphNeeds } from './graph-needs.ts'

/** The kinds of effects that the host itself realizes. */
export const HANDLERS: readonly string[] = [SET_CONTEXT]

export interface Coverage {
  readonly adapter?: Adapter | undefined
  /** The kinds that the host realizes. Default: `set_context`. */
  readonly handlers?: readonly string[] | undefined
  /** The kinds with a route to a channel. */
  readonly routes: readonly string[]
  /** `fixture`: events without an adapter are allowed, unless the graph needs one. */
  readonly ingress: 'fixture' | 'production'
}

/**
 * Returns the reasons why a graph cannot run with these handlers and routes (reference 5.5), in the order of the kinds: `R1357` for a missing
 * adapter, a kind without an owner or with two, and a route that the adapter does not accept; the warning `R1358` for a route that the graph
 * never uses.
 */
export function coverageFindings(graph: ValidatedGraph, { adapter, handlers = HANDLERS, routes, ingress }: Coverage): Fault[] {
  const { emittable, requiresAdapter } = graphNeeds(graph)
  if (adapter === undefined) return missingAdapter(requiresAdapter, ingress, routes)
  const accepted = new Set((adapter.accepts?.effects ?? []).map(({ name }) => name))
  const owners = emittable.filter((kind) => accepted.has(kind)).flatMap((kind) => ownerFindings(kind, handlers, routes))
  const wrong = routes.filter((kind) => !accepted.has(kind)).map((kind) => unacceptedRoute(kind, accepted))
  const unused = routes.filter((kind) => accepted.has(kind) && !emittable.includes(kind))
  return [
    ...owners,
    ...wrong,
    ...unused.map((kind) => faults.finding('R1358', `no action of the graph emits ${quote(kind)}`, { fix: 'remove the route' })),
  ]
}

function missingAdapter(requiresAdapter: boolean, ingress: Coverage['ingress'], routes: readonly string[]): Fault[] {
  const fix = 'write one with `reflex validate --write-adapter`'
  if (requiresAdapter)
    return [
      faults.finding('R1357', 'the graph has effects or needs keys of the context, and there is no adapter', { rule: 'RUN-CANON-2', fix }),
    ]
  if (ingress === 'production')
    return [faults.finding('R1357', 'a run needs an adapter; only fixtures run without one', { rule: 'RUN-CANON-2', fix })]
  if (routes.length === 0) return []
  return [faults.finding('R1357', 'the host file has routes, and there is no adapter that accepts their effects', { rule: 'HST-5', fix })]
}

function ownerFindings(kind: string, handlers: readonly string[], routes: readonly string[]): Fault[] {
  const isHandled = handlers.includes(kind)
  const isRouted = routes.includes(kind)
  if (isHandled && isRouted) {
    const message = `${quote(kind)} is realized by the host and has a route`
    return [faults.finding('R1357', message, { rule: 'HST-5', fix: 'remove the route', data: { error: 'ConflictingCoverage' } })]
  }
  if (isHandled || isRouted) return []
  const message = `nothing realizes the effect ${quote(kind)}`
  const fix = `add a route: "routes": { ${quote(kind)}: { "channel": NAME } }`
  return [faults.finding('R1357', message, { rule: 'HST-5', fix, data: { error: 'MissingHandler' } })]
}

function unacceptedRoute(kind: string, accepted: ReadonlySet<string>): Fault {
  const guess = suggest(kind, accepted)
  const fix = guess === undefined ? 'add it to accepts.effects of the adapter, or remove the route' : `write ${quote(guess)}`
  return faults.finding('R1357', `the adapter does not accept ${quote(kind)}, for which there is a route`, { rule: 'HST-5', fix })
}
