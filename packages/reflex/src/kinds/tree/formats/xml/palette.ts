import type { NodeManifest, Parameter } from '../../manifest/manifest.ts'
import type { JsonObject } from '../../../../kernel/index.ts'

/** The nodes of BehaviorTree.CPP that trees of Reflex do not have, each with what to write in its place. */
export const ABSENT: ReadonlyMap<string, string> = new Map([
  ['AsyncSequence', 'write Sequence: a tree of Reflex never blocks its host'],
  ['AsyncFallback', 'write Fallback: a tree of Reflex never blocks its host'],
  ['ManualSelector', 'ask a person: BT.ask in Lua, with a Switch behind it'],
  ['WasEntryUpdated', 'compare the value with one that a Script kept'],
  ['SkipUnlessUpdated', 'compare the value with one that a Script kept, in _skipIf'],
  ['WaitValueUpdate', 'send an event when the value changes, or compare it with one that a Script kept'],
  ['ConsumeQueue', 'write LoopString, or BT.for_each in Lua'],
  ['TryCatch', 'write Fallback, with the recovery as its second child'],
  ['TestNode', 'use the doubles of reflex-runtime/testing'],
  ['SequenceStar', 'write SequenceWithMemory, its name in version 4'],
  ['FallbackStar', 'write Fallback'],
  ['SubTreePlus', 'write SubTree, with _autoremap="true" where needed'],
  ['RetryUntilSuccesful', 'write RetryUntilSuccessful'],
  ['BlackboardCheckInt', 'write _successIf, _skipIf or Precondition'],
  ['BlackboardCheckDouble', 'write _successIf, _skipIf or Precondition'],
  ['BlackboardCheckString', 'write _successIf, _skipIf or Precondition'],
  ['BlackboardCheckBool', 'write _successIf, _skipIf or Precondition'],
])

/** The loops over a queue. All of them are for_each. */
export const LOOPS: readonly string[] = ['LoopInt', 'LoopBool', 'LoopDouble', 'LoopString']

/** The nodes whose ports mean something else than a parameter of the same value, besides loops and switches. */
export const SPECIAL: readonly string[] = [
  'Action',
  'Condition',
  'Control',
  'Decorator',
  'SubTree',
  'Script',
  'SetBlackboard',
  'UnsetBlackboard',
  'Parallel',
  'ParallelAll',
  'RetryUntilSuccessful',
  'Repeat',
  'KeepRunningUntilFailure',
  'Precondition',
]

/** The type and the implied parameters of a name of BehaviorTree.CPP. */
export interface PaletteEntry {
  readonly manifest: NodeManifest
  readonly implied: JsonObject
}

/** The nodes that are read and written, by their names in BehaviorTree.CPP. */
export function paletteOf(manifests: readonly NodeManifest[]): ReadonlyMap<string, PaletteEntry> {
  return new Map(
    manifests.flatMap((manifest) =>
      Object.entries(manifest.xml ?? {}).map(([name, implied]): [string, PaletteEntry] => [name, { manifest, implied }]),
    ),
  )
}

/** The parameters that are ports, by their names in BehaviorTree.CPP. */
export function portsOf({ parameters }: NodeManifest): ReadonlyMap<string, Parameter> {
  return new Map(
    parameters.flatMap((parameter): [string, Parameter][] => (parameter.xml === undefined ? [] : [[parameter.xml, parameter]])),
  )
}

/** The conditions of a node, by the names of their attributes. */
export const PRE_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['_skipIf', 'skip_if'],
  ['_successIf', 'success_if'],
  ['_failureIf', 'failure_if'],
  ['_while', 'while'],
])
export const POST_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['_onSuccess', 'on_success'],
  ['_onFailure', 'on_failure'],
  ['_onHalted', 'on_halted'],
  ['_post', 'after'],
])
