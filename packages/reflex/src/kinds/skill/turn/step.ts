import { type FaultData, faultJson, type Input, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import type { SkillOutcome } from '../model/plan-result.ts'
import type { ModelReply, TurnArgs, TurnInput } from '../model/turn.ts'
import { BEGINNING, NEW_REQUEST } from './position.ts'
import { decideNext, takeReply } from './reply.ts'
import { addResult, outcomeMessage } from './results.ts'
import { send } from './send.ts'
import { act, askAbout, decided } from './divergence.ts'
import { Turn, TURN_KEYS, type TurnStep } from './turn.ts'

/** The flight of the bulletin belongs to no call of the agent. */
const BULLETIN = ''

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
  const { seed = {}, replaced = [] } = (isObject(x.args) ? x.args : {}) as unknown as TurnArgs
  if (replaced.length > 0) x.note({ replaced: replaced as unknown as Json })
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
    case 'answer':
      return decided(turn, input[1], input[2])
    case 'end':
      return ended(turn, input[1], input[2], input[3])
    default:
  }
}

function called(turn: Turn, call: TurnInput): void {
  const { x } = turn
  switch (call.do) {
    case 'tool':
    case 'once':
      return call.diverged === undefined ? act(turn, call) : askAbout(turn, call)
    case 'agent':
      return turn.flight(x.request('wrap.agent', { id: call.id, name: call.name, args: call.args }), call.id)
    case 'model':
      return asked(turn, call)
    case 'note':
      return x.note(call.note)
    case 'end':
      // Nobody has proposed anything: the agent talks to its model past its proxies.
      if (x.get(TURN_KEYS.userText) === undefined) x.note({ warning: 'adapter.no_intercept' })
      return call.status === 'failed' ? x.fail(call.value as unknown as FaultData) : x.done(call.value)
  }
}

/** The agent asks its model. The first request brings the text of the user, and with it the bulletin. */
function asked(turn: Turn, { id, request, userText }: Extract<TurnInput, { do: 'model' }>): void {
  const { x } = turn
  turn.request(id, NEW_REQUEST)
  x.setInternal(TURN_KEYS.request(id), request)
  if (x.get(TURN_KEYS.userText) === undefined) {
    x.setInternal(TURN_KEYS.userText, userText ?? '')
    turn.flight(x.request('skills.cards', { user_text: userText ?? '' }), BULLETIN)
  }
  if (turn.position.phase === 'cards') return turn.move({ queue: [...turn.position.queue, id] })
  send(turn, id)
}

function settled(turn: Turn, ref: Ref, result: Json): void {
  const id = turn.landed(ref)
  if (id === undefined) return
  if (id === BULLETIN) return bulletinDone(turn, result)
  const open = turn.position.requests[id]
  if (open === undefined) return turn.resolve(id, { ok: true, value: result })
  takeReply(turn, id, { effect: ref, reply: result as unknown as ModelReply })
}

/** The bulletin is there: what waited for it is sent. An agent whose skills cannot be looked up works without them. */
function bulletinDone(turn: Turn, bulletin: Json): void {
  turn.x.setInternal(TURN_KEYS.bulletin, bulletin)
  const { queue } = turn.position
  turn.move({ phase: 'open', queue: [] })
  for (const id of queue) send(turn, id)
}

function failed(turn: Turn, ref: Ref, fault: FaultData): void {
  const id = turn.landed(ref)
  if (id === undefined) return
  if (id === BULLETIN) return bulletinDone(turn, { text: '', cards: [], trouble: faultJson(fault) })
  turn.resolve(id, { ok: false, fault: faultJson(fault) as JsonObject })
}

/** A skill has ended: its writes are taken over, and the model is told. */
function ended(turn: Turn, ref: Ref, status: string, value: Json | undefined): void {
  const id = turn.landed(ref)
  if (id === undefined) return
  turn.x.adopt(ref)
  const code = isObject(value) && typeof value['code'] === 'string' ? value['code'] : 'R9001'
  const broken: SkillOutcome = { skill_id: '', version: '', status: 'failed', reason: 'internal', detail: `the skill broke off: ${code}` }
  const outcome = status === 'done' && isObject(value) ? (value as unknown as SkillOutcome) : broken
  addResult(turn, id, outcomeMessage(turn, outcome))
  decideNext(turn, id)
}
