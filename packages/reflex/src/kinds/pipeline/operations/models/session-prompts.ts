import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { listIn, type SessionService, textIn, type ServiceValues } from './session-values.ts'

/** The limit of messages that a follow-up repeats, and of characters of one part of a prompt. */
const MOST_REPEATED = 40
const MOST_PART = 8_000

const ANSWER = `Answer with one JSON object and nothing else. All keys may be left out:
{"actions": [{"type": name, "params": {}}], "goal_updates": [{"goal_id": id, "progress": 0..1, "status": word}], "new_goals": [{"description": text, "priority": 0..1}], "decompositions": [{"goal_id": id, "intentions": [{"action": name, "params": {}}]}], "new_intents": [{}], "proposal_decisions": [{"proposal_id": id, "decision": "accept" | "reject" | "defer"}], "identity_insights": [{"content": text}], "memory_notes": [text], "concerns": [text], "curiosity": [text]}`

const MODES: Readonly<Record<string, string>> = {
  goal_pursuit: 'Choose the goal that matters most now and do what brings it on.',
  plan_execution: 'Take your goals apart into steps that can be done, and say which come first.',
  reflection: 'Look back on what has happened: what have you learnt, what worries you, what would you like to know?',
  consolidation: 'Keep what will matter later and let go of the rest.',
  conversation: 'Somebody waits for your answer: answer them.',
}

const PARTS: readonly (readonly [key: string, title: string])[] = [
  ['session.goals', 'Goals'],
  ['session.active_intents', 'Intents'],
  ['session.working_memory', 'Working memory'],
  ['session.knowledge_graph', 'What you know'],
  ['session.recalled_memories', 'What you remember of it'],
  ['session.pending_proposals', 'Proposals that wait for your decision'],
  ['session.recent_thinking', 'What you thought lately'],
  ['session.recent_percepts', 'What you perceived lately'],
]

/** Returns the prompt of an agent when no person talks to it. */
export function heartbeatPrompt(values: ServiceValues, mode: string): string {
  const turn = textIn(values, 'session.turn_count')
  return [`This is ${turn === '' ? 'a turn' : `turn ${turn}`} of your own.`, MODES[mode] ?? '', ...partsOf(values), ANSWER]
    .filter((part) => part !== '')
    .join('\n\n')
}

function partsOf(values: ServiceValues): readonly string[] {
  return PARTS.flatMap(([key, title]) => {
    const text = valueText(values.get(key))
    return text === '' ? [] : [`## ${title}\n${text}`]
  })
}

function valueText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (isList(value))
    return value
      .map((one) => `- ${renderText(isObject(one) ? (one['description'] ?? one['content'] ?? one) : one)}`)
      .join('\n')
      .slice(0, MOST_PART)
  if (isObject(value) && Object.keys(value).length === 0) return ''
  return renderText(value).slice(0, MOST_PART)
}

/**
 * Builds the prompts of a session: `heartbeat_prompt` for a turn of the agent itself, `followup_prompt` and `messages` after its
 * actions, `user_prompt` for a turn with a person (reference pipeline 4.6.2, the newer corpus).
 */
export const buildPrompt: SessionService = (values) => {
  const mode = textIn(values, 'session.mode') || 'turn'
  if (mode === 'heartbeat')
    return { updates: { 'session.heartbeat_prompt': heartbeatPrompt(values, textIn(values, 'session.cognitive_mode')) } }
  if (mode === 'followup') return { updates: followup(values) }
  const input = textIn(values, 'session.input')
  const cognitive = mode === 'turn' ? textIn(values, 'session.cognitive_mode') : mode
  return { updates: { 'session.user_prompt': input === '' ? heartbeatPrompt(values, cognitive) : turnPrompt(values, input) } }
}

function turnPrompt(values: ServiceValues, input: string): string {
  const known = partsOf(values)
  return known.length === 0 ? input : [...known, `## What is said to you\n${input}`].join('\n\n')
}

function followup(values: ServiceValues): JsonObject {
  const { context } = values
  const asked = context.text('last_prompt')
  const answered = textIn(values, 'last_response')
  const turns: Json[] = [
    ...(asked === '' ? [] : [{ role: 'user', content: asked }]),
    ...(answered === '' ? [] : [{ role: 'assistant', content: answered }]),
  ]
  return {
    'session.followup_prompt': `Your actions came to this:\n\n${valueText(values.get('session.percepts'))}\n\nGo on, or give an empty list of actions if you are done.\n\n${ANSWER}`,
    'session.messages': [...listIn(values, 'session.messages'), ...turns].slice(-MOST_REPEATED),
  }
}
