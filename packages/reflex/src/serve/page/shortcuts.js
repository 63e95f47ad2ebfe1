import { byId } from './dom.js'

const KEPT = 'reflex.shortcuts'

/**
 * Calls an action for each key that is pressed outside of a field. Single keys can be turned off in the list of shortcuts: they get in the
 * way of some who speak to their computer.
 * @param {(key: string, inList: boolean) => boolean} act Returns true if the key was used
 */
export function listenForKeys(act) {
  const dialog = byId('help')
  const toggle = byId('use-keys')
  if (!(dialog instanceof HTMLDialogElement) || !(toggle instanceof HTMLInputElement)) return
  toggle.checked = localStorage.getItem(KEPT) !== 'off'
  toggle.addEventListener('change', () => localStorage.setItem(KEPT, toggle.checked ? 'on' : 'off'))
  byId('show-help').addEventListener('click', () => dialog.showModal())
  byId('close-help').addEventListener('click', () => dialog.close())
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (dialog.open || event.isComposing || altKey) return
    const form = target instanceof HTMLTextAreaElement ? target.form : null
    if (key === 'Enter' && (ctrlKey || metaKey) && form !== null) return form.requestSubmit()
    if (ctrlKey || metaKey) return
    const isField = isTextField(target)
    if (key === 'Escape' ? false : isField || (!toggle.checked && key.length === 1)) return
    if (key === '?') dialog.showModal()
    else if (!act(key, !isField)) return
    event.preventDefault()
  })
}

/**
 * True for an element that takes what is typed.
 * @param {EventTarget | null} target
 */
function isTextField(target) {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  return target instanceof HTMLInputElement && !['radio', 'checkbox', 'button', 'submit'].includes(target.type)
}
