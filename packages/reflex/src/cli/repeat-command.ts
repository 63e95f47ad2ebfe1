import type { RunHandle } from '../runs/handle.ts'
import type { Json } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'
import { objectOf } from './event-text.ts'

/** Longer inputs are not repeated: nobody reads such a command. */
const LONGEST = 160

/** The words that start the same again: the file, its inputs, who decides. None for a run that came from no file. */
export function repeatWords(
  file: string | undefined,
  args: Json | undefined,
  { agent = {} }: Pick<RunSettings, 'agent'> = {},
): readonly string[] {
  if (file === undefined) return []
  const inputs = Object.entries(objectOf(args)).flatMap(([key, value]) => [
    '--input',
    typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`,
  ])
  const { default: all, perNode = {}, model, recorded } = agent
  const names = [
    ...(all === undefined || all === 'script' ? [] : [all]),
    ...Object.entries(perNode).map(([node, name]) => `${node}=${name}`),
  ]
  const words = [
    ...inputs,
    ...names.flatMap((name) => ['--agent', name]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(recorded === undefined ? [] : ['--recorded', recorded]),
  ]
  return ['run', file, ...(words.join(' ').length > LONGEST ? ['--input', '…'] : words)]
}

/** The same of a run in this process. */
export function repeatWordsOf({ run }: RunHandle): readonly string[] {
  return repeatWords(run.settings.file, run.state.start?.args, run.settings)
}
