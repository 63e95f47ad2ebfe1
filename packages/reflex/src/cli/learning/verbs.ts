import { Option } from 'commander'
import type { Session } from '../session.ts'
import type { Action, Verb } from '../verb.ts'

type SessionAction = (session: Session, words: readonly string[], flags: Record<string, unknown>) => Promise<number>
type OpensStore = (load: () => Promise<SessionAction>) => Action

/** The options and functions that these verbs use together with the other verbs. */
interface SharedParts {
  readonly common: readonly Option[]
  readonly by: Option
  readonly policy: Option
  readonly tools: Option
  readonly withStore: OpensStore
  readonly withExistingStore: OpensStore
}

/** The names of the verbs about skills, for the help. */
export const LEARNING = ['skill', 'bulletin']

/** Returns the verbs about skills. */
export function learningVerbs({ common, by, policy, tools, withStore, withExistingStore }: SharedParts): readonly Verb[] {
  return [
    {
      name: 'skill',
      words: [
        ['[action]', 'list, show, test, approve, promote, evict, why, sync; absent: list'],
        ['[which]', 'the id of a skill, ID@VERSION, or for test a file; evict without one takes out what is not used'],
      ],
      usage: '[ACTION]',
      about: 'test, approve and evict skills; why one was refused',
      options: [
        new Option('--run <run>', 'for why: the run with the decision'),
        new Option('--junit <file>', 'for test: also write the result as JUnit XML'),
        new Option('--share <share>', 'for approve: the share of the calls that this version gets, such as 0.1; default: all'),
        new Option('--to <env>', 'for promote: the environment in which the control plane is asked to use it'),
        new Option('--deprecate', 'for evict: only stop to offer it; a week later it can be evicted'),
        new Option('--reason <text>', 'for evict: the reason, for the registry'),
        tools,
        by,
        policy,
        ...common,
      ],
      examples: [
        'skill test refund.skill.json --tools shop.ts',
        'skill approve refund.lost_parcel@1.0.0 --by ana',
        'skill why refund.lost_parcel --run swift',
        'skill evict',
        'skill sync',
      ],
      action: async (console, words, flags) => {
        const load = async (): Promise<SessionAction> => (await import('./skill.ts')).skill
        // Only a file that is tested needs a store.
        return (words[0] === 'test' ? withStore(load) : withExistingStore(load))(console, words, flags)
      },
    },
    {
      name: 'bulletin',
      words: [['[action]', 'preview']],
      usage: 'preview',
      about: 'show the skills that a model is offered for a message',
      options: [new Option('--user <text>', 'the message of the user'), tools, policy, ...common],
      examples: ["bulletin preview --user 'My parcel is lost'"],
      action: withExistingStore(async () => {
        const { bulletin } = await import('./bulletin.ts')
        return (session, [action = 'preview'], flags) => bulletin(session, action, flags)
      }),
    },
  ]
}
