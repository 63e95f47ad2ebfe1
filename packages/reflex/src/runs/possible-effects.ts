import {
  type Definitions,
  type Flight,
  framePath,
  isHeld,
  isObject,
  type Port,
  type Repeat,
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
export interface EffectsOf {
  readonly run: string
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
  { run, state, definitions, from = 0, until = Number.POSITIVE_INFINITY }: EffectsOf,
  ports: ReadonlyMap<string, Port>,
): PossibleEffect[] {
  const owner = { id: run, definition: (pin: number) => definitions.program(pin).def, progress: () => undefined }
  const matters = ({ leaves, repeat }: Traits): boolean => leaves || repeat !== 'free'
  return [...state.flights()].flatMap((flight) => {
    const { id, asked, port, frame, doubted } = flight
    const record = recordOf(flight)
    if (isHeld(flight) || record < from || record > until) return []
    const traits = traitsOf(flight, owner, ports)
    if (!doubted && !matters(traits)) return []
    const key = asked ?? `${run}:${id}`
    return [{ key, path: framePath(frame, definitions), port, name: nameOf(flight, definitions), asked: doubted, repeat: traits.repeat }]
  })
}

/** The number of the record that asked for it. */
function recordOf({ id }: Flight): number {
  return Number.parseInt(String(id), 10)
}

/** The tool that the effect names, or the node whose decision it is. */
function nameOf({ args, port, frame }: Flight, definitions: Definitions): string {
  if (isObject(args) && typeof args.tool === 'string') return args.tool
  const { kind: name, def } = definitions.program(frame.pin)
  const kind = definitions.kind(name)
  const node = kind.where?.(def, frame.position)
  const tool = kind.graph?.(def)?.nodes.find(({ id }) => id === node)?.spec?.['tool']
  return typeof tool === 'string' ? tool : port
}
