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
  readonly input: Option
  readonly withStore: OpensStore
  readonly withExistingStore: OpensStore
}

/** The names of the verbs about skills, for the help. */
export const LEARNING = ['skill', 'bulletin', 'gate']

/** Actions that keep a file in the registry. */
const KEEPING: readonly string[] = ['test', 'add']

/** Returns the verbs about skills. */
export function learningVerbs({ common, by, policy, tools, input, withStore, withExistingStore }: SharedParts): readonly Verb[] {
  const place = [
    new Option('--env <name>', 'the environment of the registry; default: default'),
    new Option('--org <name>', 'the registry of this organisation, above those of its projects'),
  ]
  return [
    {
      name: 'skill',
      words: [
        ['[action]', 'list, show, test, add, import, approve, promote, evict, diff, why, stats, sync; absent: list'],
        ['[which]', 'the id of a skill, ID@VERSION, or for test, add and import a file; evict without one takes out what is not used'],
        ['[versions...]', 'for diff: two versions'],
      ],
      usage: '[ACTION]',
      about: 'test, approve and evict skills; why one was refused',
      options: [
        new Option('--run <run>', 'for why: the run with the decision'),
        new Option('--junit <file>', 'for test: also write the result as JUnit XML'),
        new Option('--share <share>', 'for approve: the share of the calls that it gets, such as 0.1; default: its rollout, otherwise all'),
        new Option(
          '--to <env>',
          'for promote: the environment that gets the tested version; a person approves it there, or the control plane is asked',
        ),
        new Option('--out <dir>', 'for import: the folder of the draft; default: this folder'),
        new Option('--deprecate', 'for evict: only stop to offer it; a week later it can be evicted'),
        new Option('--reason <text>', 'for evict: the reason, for the registry'),
        ...place,
        tools,
        by,
        policy,
        ...common,
      ],
      examples: [
        'skill test refund.skill.json',
        'skill approve refund.lost_parcel@1.0.0 --by ana',
        'skill promote refund.lost_parcel@1.1.0',
        'skill diff refund.lost_parcel 1.0.0 1.1.0',
        'skill why refund.lost_parcel --run swift',
        'skill evict',
        'skill sync',
      ],
      action: async (console, words, flags) => {
        const load = async (): Promise<SessionAction> => (await import('./skill.ts')).skill
        // Only what keeps a file needs a store.
        return (KEEPING.includes(words[0] ?? '') ? withStore(load) : withExistingStore(load))(console, words, flags)
      },
    },
    {
      name: 'bulletin',
      words: [['[action]', 'preview']],
      usage: 'preview',
      about: 'show the skills that a model is offered for a message',
      options: [new Option('--user <text>', 'the message of the user'), ...place, tools, policy, ...common],
      examples: ["bulletin preview --user 'My parcel is lost'"],
      action: withExistingStore(async () => {
        const { bulletin } = await import('./bulletin.ts')
        return (session, [action = 'preview'], flags) => bulletin(session, action, flags)
      }),
    },
    {
      name: 'gate',
      words: [['[action]', 'explain']],
      usage: 'explain',
      about: 'show what the gate would say about a skill now',
      options: [
        new Option('--skill <skill>', 'the id of a skill, or ID@VERSION'),
        input,
        new Option('--user <text>', 'the message of the user that it is scored by; default: a program calls'),
        ...place,
        tools,
        policy,
        ...common,
      ],
      examples: ['gate explain --skill refund.lost_parcel -i order=A-1042 --user lost'],
      action: withExistingStore(async () => {
        const { gate } = await import('./gate.ts')
        return (session, [action = 'explain'], flags) => gate(session, action, flags)
      }),
    },
  ]
}
