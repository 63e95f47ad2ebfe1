import type { Input, Json, StepContext } from '../../../kernel/index.ts'
import { calledArgs, type GraphArgs, readArgs } from './args.ts'
import type { CompiledGraph } from './compiled.ts'
import { readPosition } from './position.ts'
import { Session } from './session.ts'

export type GraphStep = StepContext<CompiledGraph>

/** A graph in one step: what it was told, and its passes so far. */
export interface Running {
  readonly x: GraphStep
  readonly args: GraphArgs
  readonly session: Session
  /** What the step was told. */
  readonly input: Input | undefined
}

/** Returns the graph of a frame. What it has computed stays in memory from step to step. */
export function running(x: GraphStep, input: Input | undefined): Running {
  const kept = (x.cache as Omit<Running, 'x' | 'input'> | undefined) ?? opened(x)
  x.cache = kept
  // A run becomes a fork between two steps.
  kept.session.fork = x.origin.fork
  return { x, ...kept, input }
}

function opened(x: GraphStep): Omit<Running, 'x' | 'input'> {
  const args = x.frame.link === undefined ? readArgs(x.args) : calledArgs(x.args, x.host)
  const entries =
    entriesAtStart(args, x.position) ??
    [...x.frame.scope.liveEntries()].flatMap(([key, { value }]): [string, Json][] => (value === undefined ? [] : [[key, value]]))
  return { args, session: new Session({ def: x.def, args }, entries, readPosition(x.position)) }
}

/** Returns the context of a graph at its first step, which writes it; undefined later. */
export function entriesAtStart({ context }: GraphArgs, position: Json | undefined): [string, Json][] | undefined {
  return position === undefined ? Object.entries(context).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])) : undefined
}

/** Returns the name of an open wait. */
export function waitName(x: GraphStep, ref: Json): string | undefined {
  return x.waits().find(({ id }) => id === ref)?.name
}

/** Drops the open waits of these names. */
export function dropWaits(x: GraphStep, ...names: readonly string[]): void {
  const refs = x.waits().filter(({ name }) => names.includes(name))
  if (refs.length > 0) x.drop(...refs.map(({ id }) => id))
}
