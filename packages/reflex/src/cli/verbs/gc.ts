import { plainJson, counted } from '../../protocol/plain.ts'
import type { CollectResult, PackedSegments } from '../../runs/collecting.ts'
import { faultData } from '../../kernel/index.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { durationOf } from '../grammar.ts'
import { factLine, hangingLines, commandHint } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import type { Session } from '../session.ts'
import { size } from '../units.ts'

export interface GcFlags extends CommonFlags {
  readonly keep?: string
  readonly dryRun?: boolean
}

/** `reflex gc`: removes unused programs and values, old runs and their folders. */
export async function gc({ console, reflex }: Session, { keep, dryRun = false }: GcFlags): Promise<number> {
  const wanted = keep ?? console.world.surroundings.environment['REFLEX_KEEP']
  const kept = wanted === undefined || wanted === '' ? undefined : durationOf(wanted, keep === undefined ? 'REFLEX_KEEP' : '--keep')
  const collected = await reflex.gc({ dry: dryRun, keep: kept })
  if (console.shape === 'text') printCollected(console, collected, dryRun, kept !== undefined)
  else {
    const { findings, ...gone } = collected
    console.document(plainJson({ v: 1, dry: dryRun, ...gone, warnings: findings.map((finding) => faultData(finding)) }))
  }
  return EXIT.done
}

function printCollected(
  console: Console,
  { runs, programs, blobs, entries, folders, packed, findings }: CollectResult,
  dry: boolean,
  hasRetention: boolean,
): void {
  const { out } = console
  const facts = [
    ...(runs.length === 0 ? [] : [counted(runs.length, 'run')]),
    ...(programs.length === 0 ? [] : [counted(programs.length, 'program')]),
    ...(blobs.length === 0 ? [] : [counted(blobs.length, 'large value')]),
    ...(entries === 0 ? [] : [counted(entries, 'ledger value')]),
    ...(folders.length === 0 ? [] : [counted(folders.length, 'run folder')]),
  ]
  for (const finding of findings) console.report(console.fault(faultData(finding)))
  const verb = dry ? 'would remove' : 'removed'
  console.print(facts.length === 0 ? ['nothing to remove'] : factLine(verb, out.paint('bold', verb), facts, out))
  printPacked(console, packed, dry)
  if (console.flags.verbose === true) {
    const names = [...runs, ...programs.map((hash) => hash.slice(0, 6)), ...folders.map((folder) => console.nearPath(folder))]
    console.print(names.flatMap((name) => hangingLines(name, out, 2)))
  }
  if (!hasRetention && !console.quiet && out.terminal) console.print([commandHint(out, 'ended', console.command('gc', '--keep', '30d'))])
}

function printPacked(console: Console, { segments, saved, left }: PackedSegments, dry: boolean): void {
  if (segments === 0) return
  const { out } = console
  const verb = dry ? 'would pack' : 'packed'
  const facts = [counted(segments, 'segment'), ...(dry ? [] : [`${size(saved)} saved`])]
  console.print(factLine(verb, out.paint('bold', verb), facts, out))
  if (left > 0) console.report([commandHint(console.err, `${counted(left, 'segment')} left`, console.command('gc'))])
}
