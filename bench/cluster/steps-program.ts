import { appendFileSync } from 'node:fs'
import { workflow } from '../../packages/reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../packages/reflex/src/tools/index.ts'

/** Three effects that leave, one after the other. */
export const THREE_STEPS = workflow({
  id: 'three-steps',
  entry: 'one',
  nodes: {
    one: { spec: { tool: 'note', args: { step: 'one' } } },
    two: { spec: { tool: 'note', args: { step: 'two' } } },
    three: { spec: { tool: 'note', args: { step: 'three' } } },
  },
  edges: [
    { id: 'a', from: 'one', to: 'two' },
    { id: 'b', from: 'two', to: 'three' },
  ],
})

export const EFFECTS = 3

/** A tool that writes a line into a file, and then takes so many milliseconds. */
export function noteTool(world: string, ms = 0) {
  return defineTool({
    name: 'note',
    description: 'Notes a step.',
    leaves: true,
    repeat: 'keyed',
    needs: () => [],
    async run({ step }: { readonly step: string }, { run }) {
      appendFileSync(world, `${JSON.stringify({ run, step, at: Date.now() })}\n`)
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
      return {}
    },
  })
}
