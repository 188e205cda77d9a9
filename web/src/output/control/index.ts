import { ownTypes } from '../mime';
import type { OutputType } from '../type';
import { ControlView } from './view';

export const control: OutputType = {
  mime: ownTypes.control.mime,
  kind: 'interactive',
  name: 'control',
  render: (data, _, { move }) => {
    const view = new ControlView(data, move);
    return { dom: view.dom, set: (next) => view.update(next), dispose: () => view.dispose() };
  },
};
