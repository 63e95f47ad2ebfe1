import { isObject, type Ref, type StepContext } from '../../../kernel/index.ts'
import type { Bulletin } from '../model/card.ts'
import type { CallResult, TurnArgs, TurnSource } from '../model/turn.ts'
import { type OpenRequest, positionPatch, readPosition, type TurnPosition, without } from './position.ts'

export type TurnStep = StepContext<TurnSource>

/** The keys that a turn keeps for itself. */
export const TURN_KEYS = {
  /** What became of a call of the agent. */
  result: (id: string) => `~r.${id}`,
  /** The text of the user that opened the turn. */
  userText: '~user',
  /** The bulletin: its bytes never change within the turn. */
  bulletin: '~bulletin',
  /** A request of the agent, as what it adds to an earlier one. */
  request: (id: string) => `~q.${id}`,
} as const

/** The bulletin of a turn without skills. */
const NO_BULLETIN: Pick<Bulletin, 'text' | 'cards'> = { text: '', cards: [] }

/** One turn of a wrapped agent during one step. */
export class Turn {
  readonly x: TurnStep
  readonly args: TurnArgs
  readonly before: TurnPosition
  position: TurnPosition

  constructor(x: TurnStep) {
    this.x = x
    this.args = isObject(x.args) ? x.args : {}
    this.before = readPosition(x.position)
    this.position = this.before
  }

  /** The text of the user that opened the turn. */
  get userText(): string {
    const text = this.x.get(TURN_KEYS.userText)
    return typeof text === 'string' ? text : ''
  }

  get bulletin(): Pick<Bulletin, 'text' | 'cards'> {
    const bulletin = this.x.get(TURN_KEYS.bulletin)
    return isObject(bulletin) ? (bulletin as unknown as Bulletin) : NO_BULLETIN
  }

  move(change: Partial<TurnPosition>): void {
    this.position = { ...this.position, ...change }
  }

  /** Writes the position, if it has changed. */
  commit(): void {
    const patch = positionPatch(this.before, this.position)
    if (Object.keys(patch).length > 0) this.x.patch(patch)
  }

  /** Changes a request that is not answered yet. */
  request(id: string, open: OpenRequest): void {
    this.move({ requests: { ...this.position.requests, [id]: open } })
  }

  /** Notes that an effect or a strand belongs to a call of the agent. */
  flight(ref: Ref, id: string): void {
    this.move({ flights: { ...this.position.flights, [String(ref)]: id } })
  }

  /** Returns the call of the agent to which an effect or a strand belongs, which is not in flight any more. */
  landed(ref: Ref): string | undefined {
    const id = this.position.flights[String(ref)]
    if (id !== undefined) this.move({ flights: without(this.position.flights, String(ref)) })
    return id
  }

  /** Says what became of a call: the session of the agent's code sees the write. */
  resolve(id: string, result: CallResult): void {
    this.x.setInternal(TURN_KEYS.result(id), result)
    this.move({ requests: without(this.position.requests, id) })
  }
}
