import { type Change, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { KindView, StoryEvent } from '../../../programs/kind-view.ts'
import type { Bulletin } from '../model/card.ts'
import type { CallResult, TurnInput, TurnSource } from '../model/turn.ts'
import { TURN_KEYS } from '../turn/turn.ts'

/** The display of turns. */
export const turnView: KindView<TurnSource> = {
  headline: ({ agent, tools }) => [`agent ${agent}`, `${tools.length} tools`],
  story: (change) => [...inputStory(change), ...writeStory(change), ...noteStory(change), ...skillStory(change)],
}

/** A call of the agent, as its code makes it. */
function inputStory({ record: { input } }: Change<TurnSource>): StoryEvent[] {
  if (input?.[0] !== 'host') return []
  const call = input[1] as unknown as TurnInput
  switch (call.do) {
    case 'model': {
      const { keep, add } = call.request
      return [{ mark: 'enter', node: 'model', text: 'the agent asks its model', facts: { messages: keep + add.length, via: 'agent' } }]
    }
    case 'tool':
      return [{ mark: 'enter', node: call.tool, text: 'the agent calls a tool', facts: { via: 'agent' } }]
    case 'agent':
      return [{ mark: 'enter', node: call.name, text: 'the agent runs another agent', facts: { via: 'agent' } }]
    case 'once':
      return [{ mark: 'enter', node: call.name, text: 'other code of the agent' }]
    default:
      return []
  }
}

/** What the record has written: the bulletin, and the ends of calls. */
function writeStory({ record: { writes = [] } }: Change<TurnSource>): StoryEvent[] {
  const events: StoryEvent[] = []
  for (let i = 0; i < writes.length; i += 2) {
    const [key, value] = [text(writes[i]), writes[i + 1]]
    if (key === TURN_KEYS.bulletin) events.push(bulletinStory(value as unknown as Bulletin))
    else if (key.startsWith(TURN_KEYS.result(''))) events.push(endStory(value as unknown as CallResult))
  }
  return events
}

function bulletinStory({ cards, tokens }: Bulletin): StoryEvent {
  const names = cards.map(({ id, version }) => `${id}@${version}`)
  const shows = names.length === 0 ? 'the bulletin shows no skill' : `the bulletin shows ${names.join(', ')}`
  return { mark: 'note', node: 'bulletin', text: shows, facts: { cards: cards.length, tokens: tokens ?? 0 } }
}

function endStory(result: CallResult): StoryEvent {
  if (!result.ok) return { mark: 'fail', text: text(result.fault['message']) || 'the call has failed' }
  if (!('reply' in result)) return { mark: 'done', text: 'the call is done' }
  const { usage, hidden, reply } = result
  // What a reply has used can be unknown.
  const used = reply.usage === undefined && hidden.length === 0 ? {} : usage
  return { mark: 'done', node: 'model', text: 'the model has replied', facts: { ...used, hidden_rounds: hidden.length } }
}

/** Decisions that no skill frame has made, and warnings. */
function noteStory({ record: { more } }: Change<TurnSource>): StoryEvent[] {
  const { note } = more ?? {}
  if (!isObject(note)) return []
  const { decision, warning, reply, user, imported } = note
  const events: StoryEvent[] = []
  if (isObject(imported)) events.push(importStory(imported))
  if (isObject(decision)) events.push({ mark: 'decide', node: 'gate', text: `denied: ${text(decision['reason'])}` })
  if (reply === 'inferred') events.push({ mark: 'note', node: 'model', text: 'the model has replied; the reply is not recorded' })
  if (typeof user === 'string') events.push({ mark: 'note', text: 'the user writes' })
  if (typeof warning === 'string') events.push({ mark: 'warn', text: warning })
  return events
}

/** The origin of an imported turn. */
function importStory({ file, line, format }: JsonObject): StoryEvent {
  const facts = { format: text(format), line: typeof line === 'number' ? line : 1 }
  return { mark: 'note', text: `imported from ${text(file)}; Reflex performed nothing of it`, facts }
}

/** The skill that a proposal has started, and its end. */
function skillStory({ record: { more, input }, state }: Change<TurnSource>): StoryEvent[] {
  const started = (more?.spawn ?? []).map(({ pin }): StoryEvent => {
    const name = state.pins[pin]?.[0] ?? 'a skill'
    return { mark: 'push', node: name, text: 'the model proposes it' }
  })
  const ended = input?.[0] === 'end' ? [skillEnd(input[2], input[3])] : []
  return [...started, ...ended]
}

/** The value of a strand can stand in its own record alone; then only its end is known here. */
function skillEnd(end: string, value: Json | undefined): StoryEvent {
  const { skill_id = '', status = end === 'done' ? 'its result goes to the model' : 'broken off' } = isObject(value) ? value : {}
  return { mark: 'pop', node: skill_id === '' ? 'skill' : `skill:${text(skill_id)}`, text: `it ends: ${text(status)}` }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
