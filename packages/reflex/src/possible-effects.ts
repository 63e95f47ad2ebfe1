import { framePath, isHeld, type Peek, type Port, type Traits, traitsOf } from './kernel/index.ts'

/** An effect that may have happened although its run has no result of it. */
export interface PossibleEffect {
  /** The key under which the other side has it: `otter-2m9q:12`. */
  readonly key: string
  /** The path of its node: `pay/send`. */
  readonly path: string
  readonly port: string
  /** Reflex has asked a person whether it happened. */
  readonly asked: boolean
}

/**
 * The effects that are in flight in a state and may have happened outside: they leave the machine, may not be repeated freely,
 * or are asked about. An effect that the run holds back, such as for a spent budget, has not begun.
 */
export function possibleEffects({ row, state, definitions }: Peek, ports: ReadonlyMap<string, Port>): PossibleEffect[] {
  const owner = { id: row.id, definition: (pin: number) => definitions.program(pin).def, progress: () => undefined }
  const matters = ({ leaves, repeat }: Traits): boolean => leaves || repeat !== 'free'
  return [...state.flights()]
    .filter((flight) => !isHeld(flight) && (flight.doubted || matters(traitsOf(flight, owner, ports))))
    .map(({ id, asked, port, frame, doubted }) => ({
      key: asked ?? `${row.id}:${id}`,
      path: framePath(frame, definitions),
      port,
      asked: doubted,
    }))
}
