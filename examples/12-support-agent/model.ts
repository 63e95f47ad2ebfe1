/** A scripted model: it understands requests, calls tools as a competent model does, and sometimes errs. It proves mechanics, not models. */
import { chance, pick } from './chance.ts'
import { type ChatRequest, type Offered, read, type Seen } from './conversation.ts'
import { answer, argumentsOf, type Facts, implied, left, missing, ready, type Understood, understand } from './plan.ts'
import { FOUND_BY, type Step } from './procedures.ts'

/** How often it does what. */
export const HABITS = {
  /** It proposes a skill that fits. */
  proposes: 0.9,
  /** It proposes one that does not fit. */
  misfits: 0.03,
  /** A proposal has no value, or a wrong one, for a slot. */
  garbles: 0.04,
  /** It writes a wrong id into a call. */
  mistypes: 0.02,
  /** After so many failures of a tool it gives up. */
  tries: 4,
} as const

export interface ChatReply {
  readonly choices: readonly {
    readonly message: { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly object[] }
    readonly finish_reason: string
  }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

const CHARACTERS_OF_A_TOKEN = 4

/** Returns the tokens of a text: about one for four characters. */
export function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_OF_A_TOKEN)
}

/** Answers a request. Equal requests get equal replies. */
export function reply(request: ChatRequest): ChatReply {
  const message = decide(request)
  return {
    choices: [{ message, finish_reason: message.tool_calls === undefined ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: tokens(JSON.stringify(request)), completion_tokens: tokens(JSON.stringify(message)) },
  }
}

type ReplyMessage = ChatReply['choices'][number]['message']

function decide(request: ChatRequest): ReplyMessage {
  const seen = read(request)
  const understood = understand(seen.user)
  const known: Facts = new Map([...understood.facts, ['letter', letterFor(seen.user)], ...seen.facts])
  const facts = implied(understood, seen.done, known)
  const rest = left(understood, seen.done, facts)
  const skill =
    rest.length === 0 ? undefined : skillFor(rest, seen, (tools, gives) => lostBy({ tools, gives }, { understood, rest, facts }))
  if (skill !== undefined) return say(proposal(skill, facts, seen))
  const [next] = rest
  const todo = next === undefined ? answer(understood, facts) : ready(next, facts)
  if (typeof todo === 'string') return say(todo)
  if ((seen.tries.get(todo.tool) ?? 0) >= HABITS.tries) return say(`I could not do it: ${todo.tool} does not answer.`)
  return call(todo, facts, seen)
}

const say = (content: string): ReplyMessage => ({ role: 'assistant', content })

/** Chooses an offered skill whose calls are the next ones, and that saves at least two calls; rarely another one. */
function skillFor(rest: readonly Step[], { offered, refused, user, done, proposals }: Seen, lost: Lost): Offered | undefined {
  const open = offered.filter(({ id, tools }) => !refused.has(id) && tools.length > 1)
  const luck = `${user} ${done.size} ${proposals}`
  if (open.length > 0 && proposals === 0 && chance(`misfit ${luck}`) < HABITS.misfits) return pick(open, `which ${luck}`)
  const fitting = open
    .filter(({ tools }) => tools.every((tool, i) => rest[i]?.tool === tool))
    .filter(({ tools, gives }) => tools.length - lost(tools, gives) >= 2)
    .sort((one, other) => other.tools.length - one.tools.length)
  return fitting[0] !== undefined && chance(`proposes ${user} ${fitting[0].id}`) < HABITS.proposes ? fitting[0] : undefined
}

type Lost = (tools: readonly string[], gives: readonly string[]) => number

/** Counts the calls that come back because a skill does not give what they find. */
function lostBy(
  { tools, gives }: Pick<Offered, 'tools' | 'gives'>,
  { understood, rest, facts }: { readonly understood: Understood; readonly rest: readonly Step[]; readonly facts: Facts },
): number {
  const conditions = rest.slice(0, tools.length).flatMap(({ when }) => (when === undefined ? [] : [when[0]]))
  const needed = missing(understood, rest.slice(tools.length), facts).filter((name) => !gives.includes(name) && !conditions.includes(name))
  return new Set(needed.flatMap((name) => FOUND_BY[name]?.tool ?? []).filter((tool) => tools.includes(tool))).size
}

function proposal({ id, needs }: Offered, facts: Facts, { user }: Seen): string {
  const isGarbled = chance(`garbles ${user}`) < HABITS.garbles
  const isMissing = chance(`how ${user}`) < 0.5
  const inputs = needs.flatMap((name, i): [string, string | number][] => {
    const value = facts.get(name)
    if (value === undefined || (isGarbled && isMissing && i === 0)) return []
    return [[name, isGarbled && i === 0 ? wrong(value) : value]]
  })
  return `<SKILL_PROPOSE>${JSON.stringify({ skill_id: id, inputs: Object.fromEntries(inputs) })}</SKILL_PROPOSE>`
}

function call(step: Step, facts: Facts, { tries, user }: Seen): ReplyMessage {
  const args = argumentsOf(step, facts)
  const count = tries.get(step.tool) ?? 0
  const [first = ''] = Object.keys(args)
  if (chance(`mistypes ${user} ${step.tool} ${count}`) < HABITS.mistypes) args[first] = wrong(args[first] ?? '')
  const id = `call_${step.tool.replace('.', '_')}_${count}`
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: step.tool, arguments: JSON.stringify(args) } }],
  }
}

/** An id as somebody types it who is in a hurry. */
function wrong(value: string | number): string {
  return `${String(value).slice(0, 2)}0000`
}

const OPENINGS = ['We are sorry', 'This is not how it should be', 'You are right to be angry', 'Thank you for your patience']
const REASONS = ['the parcel took so long', 'the order was late', 'nobody told you', 'the driver was in a hurry', 'the box was open']
const OFFERS = ['we look at it today', 'the next delivery is free', 'a colleague calls you', 'we write again tomorrow']

function letterFor(text: string): string {
  const one = (list: readonly string[], name: string): string => pick(list, `${name} ${text}`)
  return `${one(OPENINGS, 'opening')}, because ${one(REASONS, 'reason')} and ${one(REASONS, 'also')}; ${one(OFFERS, 'offer')}, and ${one(OFFERS, 'more')}.`
}
