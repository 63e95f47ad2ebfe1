import {
  type PendingEffect,
  framePath,
  isPaused,
  isObject,
  type Port,
  type Repeat,
  type RunFacts,
  type State,
  type Traits,
  traitsOf,
} from '../kernel/index.ts'
import type { ViewedDefinitions } from '../programs/kinds.ts'

/** An effect that may have happened, although the run has no result for it. */
export interface PossibleEffect {
  /** The idempotency key that the other side received: `otter-2m9q:12`. */
  readonly key: string
  /** The path of its node: `pay/send`. */
  readonly path: string
  readonly port: string
  /** The name of its tool, if it has one; else its port. */
  readonly name: string
  /** True if Reflex has asked a person about its outcome. */
  readonly asked: boolean
  /** The repeat rule: the action of another process if this one ends. */
  readonly repeat: Repeat
}

/** A run, and which of its effects are meant. */
export interface EffectRange {
  readonly run: string
  readonly settings: RunFacts
  readonly state: State
  readonly definitions: ViewedDefinitions
  /** The names of the effects. Default: all. */
  readonly among?: ReadonlySet<string> | undefined
  /** The last record that requested them. Default: all. An effect of a record that is not durable has not begun. */
  readonly until?: number
}

/**
 * Returns the effects in flight that may have happened outside: they leave the machine, or may not be repeated freely, or were
 * asked about. An effect that the run has paused, such as for a spent budget, has not begun.
 */
export function possibleEffects(
  { run, settings, state, definitions, among, until = Number.POSITIVE_INFINITY }: EffectRange,
  ports: ReadonlyMap<string, Port>,
): PossibleEffect[] {
  const owner = { id: run, settings, state, definitions }
  const isOutside = ({ leaves, repeat }: Traits): boolean => leaves || repeat !== 'free'
  return [...state.pendingEffects()].flatMap((effect) => {
    const { id, requestedKey, port, frame, isQuestioned } = effect
    if (isPaused(effect) || recordOf(effect) > until || among?.has(String(id)) === false) return []
    const traits = traitsOf(effect, owner, ports)
    if (!isQuestioned && !isOutside(traits)) return []
    const key = requestedKey ?? `${run}:${id}`
    return [
      { key, path: framePath(frame, definitions), port, name: nameOf(effect, definitions), asked: isQuestioned, repeat: traits.repeat },
    ]
  })
}

/** The number of the record that requested an effect. */
function recordOf({ id }: PendingEffect): number {
  return Number.parseInt(String(id), 10)
}

/** The tool that the effect names or that its node calls; else its port. */
function nameOf({ args, port, frame }: PendingEffect, definitions: ViewedDefinitions): string {
  if (isObject(args) && typeof args.tool === 'string') return args.tool
  const { kind: name, def } = definitions.program(frame.pin)
  const node = definitions.kind(name).node?.(def, frame.position)
  const tool = definitions
    .view(name)
    .graph?.(def)
    ?.nodes.find(({ id }) => id === node)?.spec?.['tool']
  return typeof tool === 'string' ? tool : port
}
