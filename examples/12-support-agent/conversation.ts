/** What a request of an agent says so far: which calls succeeded, what is known, and which skills are offered. */
import type { Facts } from './plan.ts'

export interface Message {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
  readonly tool_call_id?: string
}

export interface ChatRequest {
  readonly messages: readonly Message[]
  readonly tools?: readonly unknown[]
}

/** A skill as its card shows it. */
export interface Offered {
  readonly id: string
  /** The tools that it calls, in their order, as far as the card names them. */
  readonly tools: readonly string[]
  readonly needs: readonly string[]
  readonly gives: readonly string[]
}

/** A conversation as the model sees it. */
export interface Seen {
  readonly user: string
  /** The tools whose calls have succeeded, by the agent or in a skill. */
  readonly done: ReadonlySet<string>
  readonly facts: Facts
  readonly offered: readonly Offered[]
  /** Skills that were proposed and not carried out. */
  readonly refused: ReadonlySet<string>
  /** How often a tool was called. */
  readonly tries: ReadonlyMap<string, number>
  readonly proposals: number
}

/** Reads what a conversation says. */
export function read({ messages }: ChatRequest): Seen {
  const texts = messages.map(({ content }) => textOf(content))
  const users = messages.flatMap(({ role }, i) => (role === 'user' ? [texts[i] ?? ''] : []))
  const offered = texts.flatMap((text) => (text.includes('<SKILL_BULLETIN') ? cardsIn(text) : []))
  const facts = new Map<string, string | number>()
  const [done, refused, tries] = [new Set<string>(), new Set<string>(), new Map<string, number>()]
  const called = new Map<string, string>()
  let proposals = 0
  for (const [i, { role, tool_calls = [], tool_call_id = '' }] of messages.entries()) {
    const text = texts[i] ?? ''
    for (const {
      id,
      function: { name },
    } of tool_calls) {
      called.set(id, name)
      tries.set(name, (tries.get(name) ?? 0) + 1)
    }
    if (role === 'assistant') proposals += text.includes('<SKILL_PROPOSE>') ? 1 : 0
    else if (role === 'tool') readResult(called.get(tool_call_id) ?? '', text, { done, facts })
    else if (role === 'user') readOutcome(text, offered, { done, facts, refused })
  }
  return { user: (users[0] ?? '').split('<SKILL_BULLETIN')[0] ?? '', done, facts, offered, refused, tries, proposals }
}

interface Found {
  readonly done: Set<string>
  readonly facts: Map<string, string | number>
}

/** What is already done needs no second call. */
function readResult(tool: string, text: string, { done, facts }: Found): void {
  const result = JSON.parse(text) as Record<string, string | number>
  const { error } = result
  if (error === undefined || /already/.test(String(error))) done.add(tool)
  if (error !== undefined) return
  for (const [name, value] of Object.entries(result)) facts.set(name, value)
}

function readOutcome(text: string, offered: readonly Offered[], { done, facts, refused }: Found & { readonly refused: Set<string> }): void {
  for (const [, body = '{}'] of text.matchAll(/<(?:SKILL_RESULT|CLARIFY)>(.*?)<\/(?:SKILL_RESULT|CLARIFY)>/gs)) {
    const {
      skill_id = '',
      status,
      outputs = {},
    } = JSON.parse(body) as {
      readonly skill_id?: string
      readonly status?: string
      readonly outputs?: Readonly<Record<string, string | number>>
    }
    const skill = offered.find(({ id }) => id === skill_id)
    if (status !== 'ok' && status !== 'noop') refused.add(skill_id)
    else for (const tool of skill?.tools ?? []) done.add(tool)
    for (const [name, value] of Object.entries(outputs)) facts.set(name, value)
  }
}

function cardsIn(text: string): readonly Offered[] {
  return text.split('\n').flatMap((line) => {
    const id = /^- ?([a-z0-9_.]+)/.exec(line)?.[1]
    if (id === undefined) return []
    const tools = [...line.matchAll(/(?:Calls|then) ([a-z]+\.[a-z]+)/g)].map(([, tool = '']) => tool)
    return [{ id: id.replace(/\.$/, ''), tools, needs: namesAfter('Needs', line), gives: namesAfter('Gives', line) }]
  })
}

function namesAfter(word: string, line: string): readonly string[] {
  const list = line.split(`${word}: `)[1]?.split('. ')[0] ?? ''
  return [...list.matchAll(/([a-z][a-z0-9_]*):/g)].map(([, name = '']) => name)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { readonly text?: string }) => part.text ?? '').join('')
}
