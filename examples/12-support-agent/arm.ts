/** One way to carry out the tasks: bare, wrapped, or wrapped with skills; and what it needs. */
import type { Reflex } from 'reflex-runtime/skill'
import type { VirtualHost } from 'reflex-runtime/testing'
import { type AgentParts, supportAgent } from './agent.ts'
import { chance } from './chance.ts'
import type { ChatRequest, Message } from './conversation.ts'
import { Desk, Refused } from './desk.ts'
import { reply, tokens } from './model.ts'
import { openCase, type Task } from './tasks.ts'
import { supportTools } from './tools.ts'

/** The prices of the simulated model, in US dollars for a million tokens, and how long things take, in milliseconds. */
export const PRICES = { prompt: 0.4, completion: 1.6 } as const
export const TIMES = { modelCall: 400, completionToken: 12, tool: 120 } as const

/** The failures that an arm simulates. */
export interface Trouble {
  /** The share of calls of tools that fail before they do anything. */
  readonly outages: number
  /** The share of calls of tools that take ten times as long. */
  readonly slow: number
  /** The share of requests that have lost the first half of what happened since the user spoke. */
  readonly lostContext: number
}

/** What one task has needed. */
export interface Measured {
  readonly task: Task
  calls: number
  prompt: number
  completion: number
  /** The part of the prompts that stands there for skills: bulletins, proposals, results. */
  shown: number
  ms: number
  tools: number
  /** How proposals ended: `ok`, or why not. */
  readonly ends: string[]
  /** The state of the case and the answer to the user. */
  state: string
}

export function costOf({ prompt, completion }: Pick<Measured, 'prompt' | 'completion'>): number {
  return (prompt * PRICES.prompt + completion * PRICES.completion) / 1e6
}

interface ArmOptions {
  readonly host: VirtualHost
  /** Absent: the agent is bare. */
  readonly reflex?: Reflex
  readonly trouble?: Trouble
}

/** Carries out the tasks one after the other, by the clock of a host. */
export async function runArm(tasks: readonly Task[], { host, reflex, trouble }: ArmOptions): Promise<readonly Measured[]> {
  const desk = new Desk()
  let now: Measured | undefined
  let calls = 0
  const luck = (name: keyof Trouble): boolean => trouble !== undefined && chance(`${name} ${calls} ${now?.task.number}`) < trouble[name]
  const tools = supportTools(async (name, args) => {
    calls++
    await host.advance(luck('slow') ? TIMES.tool * 10 : TIMES.tool)
    if (now !== undefined) now.tools++
    if (luck('outages')) throw new Refused(`${name} is not available`)
    return desk.call(name, args)
  })
  const llm: AgentParts['llm'] = async (request) => {
    calls++
    const seen = luck('lostContext') ? withoutHalf(request) : request
    const answered = reply(seen)
    await host.advance(TIMES.modelCall + answered.usage.completion_tokens * TIMES.completionToken)
    if (now !== undefined) measure(now, seen, answered.usage)
    return answered
  }
  const wrapped = reflex?.wrap({ agent: supportAgent, llm, tools: [...tools] })
  const measured: Measured[] = []
  for (const task of tasks) {
    openCase(desk, task)
    now = { task, calls: 0, prompt: 0, completion: 0, shown: 0, ms: 0, tools: 0, ends: [], state: '' }
    const begun = host.now()
    const said =
      wrapped === undefined ? await supportAgent(task.text, { llm, tools }) : await wrapped.run(task.text, { id: `t-${task.number}` })
    now.ms = host.now() - begun
    now.state = [desk.stateOf(task.number), said, ...desk.broken(task.number)].join('\n')
    measured.push(now)
  }
  return measured
}

function measure(
  now: Measured,
  { messages }: ChatRequest,
  usage: { readonly prompt_tokens: number; readonly completion_tokens: number },
): void {
  now.calls++
  now.prompt += usage.prompt_tokens
  now.completion += usage.completion_tokens
  const texts = messages.flatMap(({ content }) => (Array.isArray(content) ? content.map(textOf) : [String(content)]))
  now.shown += texts.filter((text) => /<(?:SKILL_|CLARIFY)/.test(text)).reduce((sum, text) => sum + tokens(text), 0)
  const last = texts.at(-1) ?? ''
  for (const [, body = '{}'] of last.matchAll(/<SKILL_RESULT>(.*?)<\/SKILL_RESULT>/gs)) now.ends.push(endOf(body))
  if (last.startsWith('<CLARIFY>')) now.ends.push('clarify')
}

function textOf(part: unknown): string {
  return (part as { readonly text?: string }).text ?? ''
}

function endOf(body: string): string {
  const { status = '', reason = '' } = JSON.parse(body) as { readonly status?: string; readonly reason?: string }
  return status === 'ok' || status === 'noop' ? 'ok' : `${status} ${reason}`.trim()
}

/** A request without the first half of what happened since the user spoke: whole calls with their results. */
function withoutHalf(request: ChatRequest): ChatRequest {
  const { messages } = request
  const user = messages.findIndex(({ role }) => role === 'user')
  const later = messages.slice(user + 1)
  let from = Math.floor(later.length / 2)
  while (from < later.length && later[from]?.role === 'tool') from++
  const kept: readonly Message[] = [...messages.slice(0, user + 1), ...later.slice(from)]
  return { ...request, messages: kept }
}
