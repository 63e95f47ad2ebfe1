import {
  type FaultData,
  faultJson,
  type Input,
  isObject,
  type Json,
  type JsonObject,
  type Ref,
  type StepContext,
} from '../../../kernel/index.ts'
import type { SkillOutcome } from '../model/plan-result.ts'
import type { CallResult, ModelReply, TurnArgs, TurnInput, TurnSource } from '../model/turn.ts'
import { answerProposal, readReply, roundDone, sumOf } from './reply.ts'
import { BEGINNING, positionPatch, readPosition, type TurnPosition, without } from './position.ts'

export type TurnStep = StepContext<TurnSource>

/** The keys that a turn keeps for itself. */
export const TURN_KEYS = {
  /** What became of a call of the agent. */
  result: (id: string) => `~r.${id}`,
  /** The text of the user that opened the turn. */
  userText: '~user',
  /** The bulletin: its bytes never change within the turn. */
  bulletin: '~bulletin',
  request: (id: string) => `~q.${id}`,
} as const

/** One turn of a wrapped agent during one step. */
export class Turn {
  readonly x: TurnStep
  readonly args: TurnArgs
  readonly before: TurnPosition
  position: TurnPosition

  constructor(x: TurnStep) {
    this.x = x
    this.args = (isObject(x.args) ? x.args : {}) as unknown as TurnArgs
    this.before = readPosition(x.position)
    this.position = this.before
  }

  move(change: Partial<TurnPosition>): void {
    this.position = { ...this.position, ...change }
  }

  /** Writes the position, if it has changed. */
  commit(): void {
    const patch = positionPatch(this.before, this.position)
    if (Object.keys(patch).length > 0) this.x.patch(patch)
  }

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

/**
 * One step of a turn. The agent's own code drives: each of its calls of the model and of tools is an input, becomes an effect of the run, and
 * its end is written to the board. What the model proposes is decided and carried out by the run, and the model hears of it in a round that
 * the agent does not see (reference skill 1.14).
 */
export function stepTurn(x: TurnStep, input: Input | undefined): void {
  if (x.position === undefined) return begin(x)
  const turn = new Turn(x)
  take(turn, input)
  turn.commit()
}

function begin(x: TurnStep): void {
  const { seed = {} } = (isObject(x.args) ? x.args : {}) as unknown as TurnArgs
  for (const [path, { value, from }] of Object.entries(seed)) x.set(path, value, { from })
  x.go(BEGINNING as unknown as JsonObject)
  // The turn stays open until the agent's code ends it.
  x.wait('message', 'turn', { stays: true })
}

function take(turn: Turn, input: Input | undefined): void {
  switch (input?.[0]) {
    case 'host':
      return called(turn, input[1] as unknown as TurnInput)
    case 'ok':
      return settled(turn, input[1], input[2])
    case 'err':
      return failed(turn, input[1], input[2] as unknown as FaultData)
    case 'end':
      return strandEnded(turn, input[1], input[2], input[3])
    default:
  }
}

function called(turn: Turn, call: TurnInput): void {
  const { x } = turn
  switch (call.do) {
    case 'tool':
      return turn.flight(x.request('wrap.tool', { id: call.id, tool: call.tool, args: call.args }), call.id)
    case 'once':
      return turn.flight(x.request('wrap.once', { id: call.id, name: call.name }), call.id)
    case 'model':
      return asked(turn, call)
    case 'end':
      return call.status === 'failed' ? x.fail(call.value as unknown as FaultData) : x.done(call.value)
  }
}

/** The agent asks its model. The first request brings the text of the user, and with it the bulletin. */
function asked(turn: Turn, { id, request, userText }: Extract<TurnInput, { do: 'model' }>): void {
  const { x, position } = turn
  turn.move({ requests: { ...position.requests, [id]: { hidden: [], used: { input: 0, output: 0 } } } })
  x.setInternal(TURN_KEYS.request(id), request)
  if (x.get(TURN_KEYS.userText) === undefined) {
    x.setInternal(TURN_KEYS.userText, userText ?? '')
    turn.flight(x.request('skills.cards', { user_text: userText ?? '' }), '')
  }
  if (turn.position.phase === 'cards') return turn.move({ queue: [...turn.position.queue, id] })
  send(turn, id)
}

/** Sends a request, or its next round. The port puts the bulletin in and adds the hidden rounds. */
export function send(turn: Turn, id: string): void {
  const { x, position } = turn
  const round = position.requests[id]?.hidden.length ?? 0
  turn.flight(x.request('wrap.model', { id, ...(round === 0 ? {} : { round }) }), id)
}

function settled(turn: Turn, ref: Ref, result: Json): void {
  const { x, position } = turn
  const id = turn.landed(ref)
  if (id === undefined) return
  if (id === '') return cardsDone(turn, result)
  if (position.requests[id] === undefined) return turn.resolve(id, { ok: true, value: result })
  const reply = result as unknown as ModelReply
  const outcome = readReply(turn, reply)
  const [proposal] = outcome.proposals
  const open = position.requests[id]
  if (proposal === undefined || open.hidden.length >= x.def.rounds) return roundDone(turn, id, reply, outcome)
  turn.move({
    requests: {
      ...turn.position.requests,
      [id]: { ...open, used: sumOf(open.used, reply.usage), said: outcome.history, callIds: proposal.callIds },
    },
  })
  answerProposal(turn, id, proposal)
}

/** The bulletin is there: what waited for it is sent. An agent whose skills cannot be looked up works without them. */
function cardsDone(turn: Turn, bulletin: Json): void {
  turn.x.setInternal(TURN_KEYS.bulletin, bulletin)
  const { queue } = turn.position
  turn.move({ phase: 'open', queue: [] })
  for (const id of queue) send(turn, id)
}

function failed(turn: Turn, ref: Ref, fault: FaultData): void {
  const id = turn.landed(ref)
  if (id === undefined) return
  if (id === '') return cardsDone(turn, { text: '', cards: [], trouble: faultJson(fault) })
  turn.resolve(id, { ok: false, fault: faultJson(fault) as JsonObject })
}

/** A skill has ended: its writes are taken over, and the model is told. */
function strandEnded(turn: Turn, ref: Ref, status: string, value: Json | undefined): void {
  const id = turn.landed(ref)
  if (id === undefined) return
  turn.x.adopt(ref)
  const outcome = status === 'done' && isObject(value) ? (value as unknown as SkillOutcome) : undefined
  tell(turn, id, outcome, value)
}

function tell(turn: Turn, id: string, outcome: SkillOutcome | undefined, fault: Json | undefined): void {
  const open = turn.position.requests[id]
  if (open === undefined) return
  const message = outcome ?? brokenOutcome(fault)
  const { said = '', callIds = [], hidden, used } = open
  const text = turn.x.def.rounds === 0 ? '' : resultText(message)
  const told = callIds.length === 0 ? [{ text }] : callIds.map((call) => ({ call, text }))
  turn.move({ requests: { ...turn.position.requests, [id]: { hidden: [...hidden, { said, told }], used } } })
  send(turn, id)
}

function brokenOutcome(fault: Json | undefined): SkillOutcome {
  const code = isObject(fault) && typeof fault['code'] === 'string' ? fault['code'] : 'R9001'
  return { skill_id: '', version: '', status: 'failed', reason: 'internal', detail: `the skill broke off: ${code}` }
}

function resultText(outcome: SkillOutcome): string {
  return JSON.stringify(outcome)
}
