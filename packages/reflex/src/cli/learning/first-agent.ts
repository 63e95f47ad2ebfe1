import type { Console } from '../console.ts'

/** Returns the commands that follow the files of a first agent. `path`: how a file is named from here. */
export function firstAgentCommands(
  console: Console,
  path: (name: string) => string,
): readonly (readonly [label: string, command: string])[] {
  return [
    ['run', `node ${path('agent.mjs')}`],
    ['test', console.command('skill', 'test', path('parcel.where.skill.json'), '--tools', path('tools.mjs'))],
    ['approve', console.command('skill', 'approve', 'parcel.where@1.0.0', '--by', console.world.surroundings.actor)],
    ['again', `node ${path('agent.mjs')}`],
  ]
}
