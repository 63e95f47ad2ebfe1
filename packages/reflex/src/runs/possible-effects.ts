import {
  type Definitions,
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

/** An effect that may have happened although its run has no result of it. */
export interface PossibleEffect {
  /** The key under which the other side has it: `otter-2m9q:12`. */
  readonly key: string
  /** The path of its node: `pay/send`. */
  readonly path: string
  readonly port: string
  /** The name of its tool, where it has one; else its port. */
  readonly name: string
  /** Reflex has asked a person whether it happened. */
  readonly asked: boolean
  /** What another process does with it if this one ends. */
  readonly repeat: Repeat
}

/** A run, and the records that asked for the effects. */
export interface EffectRange {
  readonly run: string
  readonly settings: RunFacts
  readonly state: State
  readonly definitions: Definitions
  /** The first and the last record. Default: all. What a record asks for that is not durable has not begun. */
  readonly from?: number
  readonly until?: number
}

/**
 * The effects that are in flight in a state and may have happened outside: they leave the machine, may not be repeated freely,
 * or are asked about. An effect that the run holds back, such as for a spent budget, has not begun.
 */
export function possibleEffects(
  { run, settings, state, definitions, from = 0, until = Number.POSITIVE_INFINITY }: EffectRange,
  ports: ReadonlyMap<string, Port>,
): PossibleEffect[] {
  const owner = { id: run, settings, state, definitions }
  const isOutside = ({ leaves, repeat }: Traits): boolean => leaves || repeat !== 'free'
  return [...state.pendingEffects()].flatMap((effect) => {
    const { id, requestedKey, port, frame, isQuestioned } = effect
    const record = recordOf(effect)
    if (isPaused(effect) || record < from || record > until) return []
    const traits = traitsOf(effect, owner, ports)
    if (!isQuestioned && !isOutside(traits)) return []
    const key = requestedKey ?? `${run}:${id}`
    return [
      { key, path: framePath(frame, definitions), port, name: nameOf(effect, definitions), asked: isQuestioned, repeat: traits.repeat },
    ]
  })
}

/** The number of the record that asked for it. */
function recordOf({ id }: PendingEffect): number {
  return Number.parseInt(String(id), 10)
}

/** The tool that the effect names, or the node whose decision it is. */
function nameOf({ args, port, frame }: PendingEffect, definitions: Definitions): string {
  if (isObject(args) && typeof args.tool === 'string') return args.tool
  const { kind: name, def } = definitions.program(frame.pin)
  const kind = definitions.kind(name)
  const node = kind.node?.(def, frame.position)
  const tool = kind.graph?.(def)?.nodes.find(({ id }) => id === node)?.spec?.['tool']
  return typeof tool === 'string' ? tool : port
}
