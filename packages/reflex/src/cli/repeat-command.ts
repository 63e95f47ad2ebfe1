import type { RunHandle } from '../runs/handle.ts'
import type { Json } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'
import { objectOf } from './event-text.ts'

/** The most characters of inputs that are repeated; a longer command is hard to read. */
const LONGEST = 160

/**
 * Returns the words that start the same run again: the file, its inputs, its agents. Returns none for a run without a
 * file.
 */
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

/** Returns the words that start the run of a handle again. */
export function repeatWordsOf({ run }: RunHandle): readonly string[] {
  return repeatWords(run.settings.file, run.state.start?.args, run.settings)
}
