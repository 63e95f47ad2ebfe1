import { Option } from 'commander'
import { RUN_FLAGS } from '../app/run-flags.ts'
import type { RunOption } from '../programs/run-options.ts'

/** The flags of runs that only programs of one kind know. */
export const KIND_FLAGS: readonly Option[] = Object.values(RUN_FLAGS).flatMap((table) =>
  Object.values(table).map(({ flag, type, does }) => new Option(`${flag}${placeholder(type)}`, does)),
)

function placeholder(type: RunOption['type']): string {
  if (typeof type !== 'string') return ' <how>'
  return { flag: '', off: '', count: ' <count>', file: ' <file>', folder: ' <dir>' }[type]
}
