-- A realm may have a picture behind the card of its pages.
alter table realm_images drop constraint realm_images_name;
alter table realm_images add constraint realm_images_name check (name in ('logo', 'logo-dark', 'favicon', 'background'));
