import { type Change, isObject, type Json } from '../../../kernel/index.ts'
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
  const { usage, hidden } = result
  return { mark: 'done', node: 'model', text: 'the model has replied', facts: { ...usage, hidden_rounds: hidden.length } }
}

/** Decisions that no skill frame has made, and warnings. */
function noteStory({ record: { more } }: Change<TurnSource>): StoryEvent[] {
  const { note } = more ?? {}
  if (!isObject(note)) return []
  const { decision, warning } = note
  const events: StoryEvent[] = []
  if (isObject(decision)) events.push({ mark: 'decide', node: 'gate', text: `denied: ${text(decision['reason'])}` })
  if (typeof warning === 'string') events.push({ mark: 'warn', text: warning })
  return events
}

/** The skill that a proposal has started, and its end. */
function skillStory({ record: { more, input }, state }: Change<TurnSource>): StoryEvent[] {
  const started = (more?.spawn ?? []).map(({ pin }): StoryEvent => {
    const name = state.pins[pin]?.[0] ?? 'a skill'
    return { mark: 'push', node: name, text: 'the model proposes it' }
  })
  const ended = input?.[0] === 'end' ? [skillEnd(input[3])] : []
  return [...started, ...ended]
}

function skillEnd(value: Json | undefined): StoryEvent {
  const { skill_id, status } = isObject(value) ? value : {}
  return { mark: 'pop', node: `skill:${text(skill_id)}`, text: `it ends: ${text(status) || 'broken off'}` }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
