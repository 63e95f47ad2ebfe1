import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool } from 'reflex-runtime/tools'
import { z } from 'zod'

const OUT = join(import.meta.dirname, 'out')

/** Stands in for the commands of a real service: every call is a line of `out/service.log`. */
function note(line: string): void {
  mkdirSync(OUT, { recursive: true })
  appendFileSync(join(OUT, 'service.log'), `${line}\n`)
}

const input = z.object({ version: z.string() })

export const restart = defineTool({
  name: 'service.restart',
  description: 'Restarts a version of the service.',
  leaves: true,
  // A second restart does no harm.
  repeat: 'free',
  input,
  run({ version }) {
    note(`restart ${version}`)
    // A version that is marked as broken does not start.
    return version.endsWith('-broken') ? { error: 'no-start', message: `${version} does not start` } : { restarted: version }
  },
  simulates: ({ version }) => ({ restarted: version }),
})

export const rollback = defineTool({
  name: 'service.rollback',
  description: 'Replaces a version of the service by the one before it.',
  leaves: true,
  repeat: 'ask',
  input,
  run({ version }) {
    note(`rollback ${version}`)
    return { replaced: version }
  },
  simulates: ({ version }) => ({ replaced: version }),
})
