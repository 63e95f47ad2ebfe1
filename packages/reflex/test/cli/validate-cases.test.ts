import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { casesOf } from '../cases.ts'
import { reflex, workFolder } from './worlds.ts'

const MODULES = join(import.meta.dirname, '../../../../node_modules')

test.each(casesOf('validate'))('validate reports everything that a run would refuse: $name', async (it) => {
  const folder = workFolder()
  cpSync(it.folder, folder, { recursive: true })
  symlinkSync(MODULES, join(folder, 'node_modules'))
  const [program = ''] = it.files.filter((file) => file.startsWith('program.'))
  const tools = it.has('tools.mjs') ? ['--tools', 'tools.mjs'] : []
  const { code, out, err } = await reflex(['validate', program, ...tools], { folder })
  const text = `exit ${code}\n${out}${err}`.replaceAll(folder, '.')
  await expect(text).toMatchFileSnapshot(it.path('expected.txt'))
})
