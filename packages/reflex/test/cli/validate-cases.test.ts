import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { casesOf } from '../cases.ts'
import { reflex } from './worlds.ts'

const MODULES = join(import.meta.dirname, '../../../../node_modules')

test.each(casesOf('validate'))('validate reports everything that a run would refuse: $name', async (it) => {
  // Lines are wrapped with the name of the folder in them: it has the same length on every machine.
  const folder = mkdtempSync('/tmp/reflex-cli-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(it.folder, folder, { recursive: true })
  symlinkSync(MODULES, join(folder, 'node_modules'))
  const [program = ''] = it.files.filter((file) => file.startsWith('program.'))
  const tools = it.has('tools.mjs') ? ['--tools', 'tools.mjs'] : []
  const { code, out, err } = await reflex(['validate', program, ...tools], { folder })
  const text = `exit ${code}\n${out}${err}`.replaceAll(folder, '.')
  await expect(text).toMatchFileSnapshot(it.path('expected.txt'))
})
